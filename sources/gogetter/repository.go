package gogetter

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/purveyor-dev/purveyor/internal/memo"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/fsmirror"
)

// repository is a mirror in a git repository. Its files are fetched when they are first needed, and once.
type repository struct {
	address *address
	config  Config
	scratch *scratch
	fetched memo.Map[struct{}, directory]
}

var _ mirror = (*repository)(nil)

func (r *repository) versions(ctx context.Context, p sources.Provider) (sources.Listing, error) {
	dir, err := r.files(ctx)
	if err != nil {
		return sources.Listing{}, err
	}
	return dir.versions(ctx, p)
}

func (r *repository) describe(ctx context.Context, p sources.Provider, v sources.Version, on sources.Platform) (*sources.Package, error) {
	dir, err := r.files(ctx)
	if err != nil {
		return nil, err
	}
	pkg, err := dir.describe(ctx, p, v, on)
	if err != nil {
		return nil, err
	}
	if dir := pkg.Content.Dir; dir != "" {
		pkg.Content = sources.Content{Archive: packed(r.scratch, dir)}
	}
	if below, err := filepath.Rel(dir.root, pkg.Location); err == nil {
		pkg.Location = r.address.String() + ", " + filepath.ToSlash(below)
	}
	return pkg, nil
}

// files returns the directory with the files of the repository.
func (r *repository) files(ctx context.Context) (directory, error) {
	if _, err := r.scratch.path(ctx); err != nil {
		return directory{}, err // closed, which must not look like absence
	}
	return r.fetched.Get(ctx, struct{}{}, r.fetch)
}

// fetch makes that directory.
func (r *repository) fetch(ctx context.Context) (directory, error) {
	scratch, err := r.scratch.path(ctx)
	if err != nil {
		return directory{}, err
	}
	dir, err := os.MkdirTemp(scratch, "repository-")
	if err != nil {
		return directory{}, err
	}
	if err := r.fetchInto(ctx, dir); err != nil {
		return directory{}, errors.Join(err, os.RemoveAll(dir))
	}
	root := filepath.Join(dir, "files", filepath.FromSlash(r.address.dir))
	// Lstat, though the files have no symbolic links: a repository without the directory is a mistake, not an empty mirror.
	if info, err := os.Lstat(root); err != nil || !info.IsDir() {
		return directory{}, errors.Join(fmt.Errorf("the repository has no directory %s", r.address.dir), os.RemoveAll(dir))
	}
	return directory{Source: fsmirror.New(root), root: root}, nil
}

func (r *repository) fetchInto(ctx context.Context, dir string) error {
	if timeout := r.config.RepositoryTimeout; timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, timeout, errTooSlow)
		defer cancel()
	}
	w := watch{path: dir, limit: r.config.MaxRepository, pause: 10 * lookPause}
	err := w.run(ctx, func(ctx context.Context) error {
		g, err := newGit(r.address, r.config, dir)
		if err != nil {
			return err
		}
		return g.checkOut(ctx)
	})
	if err == nil {
		return nil
	}
	return r.address.failure(r.address.String(), err)
}

// git runs git for one repository. What it needs to know goes through the environment, which nobody else can read as
// they can arguments.
type git struct {
	program string
	dir     string // has the repository in "git", its files in "files", and an SSH key in "key"
	ref     string
	environ []string
}

// checkOut fetches what is asked for, without history, and leaves nothing but the files.
func (g *git) checkOut(ctx context.Context) error {
	if err := os.Mkdir(filepath.Join(g.dir, "files"), 0o700); err != nil {
		return err
	}
	if err := g.run(ctx, "init", "--quiet", "--template="); err != nil {
		return err
	}
	commit, err := g.fetch(ctx)
	if err != nil {
		return err
	}
	if err := g.run(ctx, "checkout", "--quiet", "--force", "--detach", commit); err != nil {
		return err
	}
	return errors.Join(os.RemoveAll(filepath.Join(g.dir, "git")), os.RemoveAll(filepath.Join(g.dir, "key")))
}

// fetch fetches the commit that is asked for, and returns a name for it. Servers that do not give away single commits
// by their name, or no history in parts, are asked for everything.
func (g *git) fetch(ctx context.Context) (string, error) {
	wanted := "HEAD"
	if g.ref != "" {
		wanted = g.ref
	}
	err := g.run(ctx, "fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--depth=1", "mirror", wanted)
	if err == nil {
		return "FETCH_HEAD^{commit}", nil
	}
	if kind := kindOf(err); g.ref == "" || kind != nil || ctx.Err() != nil {
		return "", err
	}
	all := g.run(ctx, "fetch", "--quiet", "--tags", "--no-recurse-submodules", "mirror", "+refs/heads/*:refs/remotes/mirror/*")
	if all != nil {
		return "", errors.Join(err, all)
	}
	return g.ref + "^{commit}", nil
}

// gitWait is how long git may take to go away after it was told to.
const gitWait = time.Second

func (g *git) run(ctx context.Context, args ...string) error {
	cmd := exec.CommandContext(ctx, g.program, args...)
	var output limitedBuffer
	cmd.Dir, cmd.Env, cmd.WaitDelay = g.dir, g.environ, gitWait
	cmd.Stdout, cmd.Stderr = &output, &output
	err := cmd.Run()
	if err == nil || ctx.Err() != nil {
		return err
	}
	return &gitError{op: args[0], output: strings.TrimSpace(string(output.kept)), err: err}
}
