package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"slices"
	"time"
)

// figure is one of the things that are measured.
type figure int

const (
	wall        figure = iota // seconds
	cpu                       // seconds, user and system
	system                    // seconds of it that the system took
	memory                    // the most MB at a time
	requests                  // to the registry
	connections               // the most at a time, to the registry
	read                      // MB, from whatever
	figures
)

// sample is what one process took.
type sample [figures]float64

// measure runs a process. Memory that this process has counts for the new one, too, on Linux: it must be little.
func measure(cmd *exec.Cmd) (s sample, err error) {
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	started := time.Now()
	if err := cmd.Start(); err != nil {
		return s, err
	}
	bytesRead := awaitReads(cmd.Process.Pid)
	if err := cmd.Wait(); err != nil {
		return s, fmt.Errorf("%w\n%s", err, output.Bytes())
	}
	s[wall] = time.Since(started).Seconds()
	s[cpu] = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	s[system] = cmd.ProcessState.SystemTime().Seconds()
	s[memory] = float64(peakMemory(cmd.ProcessState)) / megabyte
	s[read] = float64(bytesRead) / megabyte
	return s, nil
}

// median returns the median of each figure, of an even number of samples the greater of the two in the middle.
func median(samples []sample) (m sample) {
	if len(samples) == 0 {
		return m
	}
	for f := range m {
		values := make([]float64, len(samples))
		for i, s := range samples {
			values[i] = s[f]
		}
		slices.Sort(values)
		m[f] = values[len(values)/2]
	}
	return m
}
