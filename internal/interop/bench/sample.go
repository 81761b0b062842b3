package main

import (
	"bytes"
	"cmp"
	"fmt"
	"os/exec"
	"slices"
	"time"
)

// sample is what one process took.
type sample struct {
	wall     time.Duration
	cpu      time.Duration // user and system
	rss      int64         // the most memory it had at a time, in bytes
	requests int
}

// measure runs a process. Memory that this process has counts for the new one, too, on Linux: it must be little.
func measure(cmd *exec.Cmd) (sample, error) {
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	started := time.Now()
	if err := cmd.Run(); err != nil {
		return sample{}, fmt.Errorf("%w\n%s", err, output.Bytes())
	}
	return sample{
		wall: time.Since(started),
		cpu:  cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(),
		rss:  peakMemory(cmd.ProcessState),
	}, nil
}

// median returns the median of each figure.
func median(samples []sample) sample {
	return sample{
		wall:     middle(samples, func(s sample) time.Duration { return s.wall }),
		cpu:      middle(samples, func(s sample) time.Duration { return s.cpu }),
		rss:      middle(samples, func(s sample) int64 { return s.rss }),
		requests: middle(samples, func(s sample) int { return s.requests }),
	}
}

// middle returns the median, of an even number of samples the greater of the two in the middle.
func middle[T cmp.Ordered](samples []sample, figure func(sample) T) T {
	if len(samples) == 0 {
		return *new(T)
	}
	figures := make([]T, len(samples))
	for i, s := range samples {
		figures[i] = figure(s)
	}
	slices.Sort(figures)
	return figures[len(figures)/2]
}
