package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/purveyor-dev/purveyor/sources/netmirror"
)

// server is one of those that are compared.
type server struct {
	name    string
	address string
	cmd     *exec.Cmd
	pids    func() []int // of all its processes
}

func (s *server) stop() {
	_ = s.cmd.Process.Signal(os.Interrupt)
	_ = s.cmd.Wait()
}

// serve is the process that serves a store.
func serve(ctx context.Context, store string, out io.Writer) error {
	h, err := netmirror.NewHandler(netmirror.HandlerConfig{Store: store})
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Fprintln(out, listener.Addr())
	srv := &http.Server{Handler: h}
	context.AfterFunc(ctx, func() { srv.Close() })
	if err := srv.Serve(listener); err != http.ErrServerClosed {
		return err
	}
	return h.Shutdown(context.Background())
}

// start starts nginx, if there is one, and the handler.
func start(ctx context.Context, dir string, out io.Writer) ([]*server, error) {
	var servers []*server
	if program := lookNginx(out); program != "" {
		s, err := startNginx(ctx, program, dir)
		if err != nil {
			return nil, fmt.Errorf("nginx: %w", err)
		}
		servers = append(servers, s)
	}
	s, err := startHandler(ctx, store(dir))
	if err != nil {
		return servers, err
	}
	return append(servers, s), nil
}

func startHandler(ctx context.Context, store string) (*server, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, self, asMirror, store)
	cmd.Stderr = os.Stderr
	output, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	address, err := bufio.NewReader(output).ReadString('\n')
	s := &server{name: "handler", address: strings.TrimSpace(address), cmd: cmd, pids: func() []int { return []int{cmd.Process.Pid} }}
	return s, err
}

const nginxConfig = `
worker_processes auto;
pid %[1]s/nginx.pid;
error_log %[1]s/error.log;
daemon off;
user root;
events { worker_connections 4096; }
http {
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000;
  client_body_temp_path %[1]s/t1; proxy_temp_path %[1]s/t2; fastcgi_temp_path %[1]s/t3; uwsgi_temp_path %[1]s/t4; scgi_temp_path %[1]s/t5;
  types { application/zip zip; application/json json; }
  server { listen %[2]s; root %[3]s; }
}
`

func startNginx(ctx context.Context, program, dir string) (*server, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	config := filepath.Join(dir, "nginx.conf")
	text := fmt.Sprintf(nginxConfig, dir, address, store(dir))
	if os.Getuid() != 0 {
		text = strings.Replace(text, "user root;\n", "", 1)
	}
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, program, "-p", dir, "-c", config, "-e", filepath.Join(dir, "error.log"))
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &server{name: "nginx", address: address, cmd: cmd, pids: func() []int { return children(cmd.Process.Pid) }}
	for range 100 {
		if conn, err := net.Dial("tcp", address); err == nil {
			return s, conn.Close()
		}
		time.Sleep(50 * time.Millisecond)
	}
	s.stop()
	return nil, fmt.Errorf("it does not listen at %s", address)
}

func freeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}

// children returns a process and its children, on Linux.
func children(pid int) []int {
	all := []int{pid}
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	for _, field := range strings.Fields(string(text)) {
		if child, err := strconv.Atoi(field); err == nil {
			all = append(all, child)
		}
	}
	return all
}
