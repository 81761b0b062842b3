package memo_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/purveyor-dev/purveyor/internal/memo"
)

var errDown = errors.New("down")

func TestAnswersAreRememberedByKey(t *testing.T) {
	t.Parallel()
	var m memo.Map[string, int]
	asked := 0
	ask := func(context.Context) (int, error) { asked++; return asked, nil }
	for _, c := range []struct {
		key  string
		want int
	}{{"a", 1}, {"b", 2}, {"a", 1}, {"b", 2}} {
		if got, err := m.Get(t.Context(), c.key, ask); got != c.want || err != nil {
			t.Errorf("Get(%q) = %d, %v; want %d", c.key, got, err, c.want)
		}
	}
}

func TestErrorsAreNotRemembered(t *testing.T) {
	t.Parallel()
	var m memo.Map[string, int]
	if _, err := m.Get(t.Context(), "a", func(context.Context) (int, error) { return 0, errDown }); err != errDown {
		t.Fatalf("error = %v, want %v", err, errDown)
	}
	if got, err := m.Get(t.Context(), "a", func(context.Context) (int, error) { return 7, nil }); got != 7 || err != nil {
		t.Errorf("Get = %d, %v; want 7", got, err)
	}
}

func TestForget(t *testing.T) {
	t.Parallel()
	var m memo.Map[string, int]
	asked := 0
	ask := func(context.Context) (int, error) { asked++; return asked, nil }
	m.Forget("a") // nothing to forget
	for want := 1; want <= 3; want++ {
		if got, err := m.Get(t.Context(), "a", ask); got != want || err != nil {
			t.Errorf("Get = %d, %v; want %d", got, err, want)
		}
		m.Forget("a")
	}
}

// question is one that waits to be told its answer.
type question struct {
	asked  atomic.Int32
	answer chan error
}

func newQuestion() *question { return &question{answer: make(chan error)} }

func (q *question) ask(ctx context.Context) (int, error) {
	n := q.asked.Add(1)
	select {
	case err := <-q.answer:
		return int(n), err
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

func TestOneAsksWhileOthersWait(t *testing.T) {
	t.Parallel()
	for _, outcome := range []error{nil, errDown} {
		t.Run(fmt.Sprint(outcome), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var m memo.Map[string, int]
				q := newQuestion()
				var wait sync.WaitGroup
				for range 50 {
					wait.Go(func() {
						if _, err := m.Get(t.Context(), "a", q.ask); err != outcome {
							t.Errorf("error = %v, want %v", err, outcome)
						}
					})
				}
				synctest.Wait()
				q.answer <- outcome
				wait.Wait()
				if n := q.asked.Load(); n != 1 {
					t.Errorf("asked %d times", n)
				}
			})
		})
	}
}

func TestWaiterLeavesAloneWhenItsContextEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var m memo.Map[string, int]
		q := newQuestion()
		var wait sync.WaitGroup
		wait.Go(func() {
			if got, err := m.Get(t.Context(), "a", q.ask); got != 1 || err != nil {
				t.Errorf("asker: %d, %v", got, err)
			}
		})
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		wait.Go(func() {
			if _, err := m.Get(ctx, "a", q.ask); !errors.Is(err, context.Canceled) {
				t.Errorf("waiter: %v, want Canceled", err)
			}
		})
		synctest.Wait()
		cancel()
		synctest.Wait()
		q.answer <- nil
		wait.Wait()
	})
}

func TestWaiterTakesOverWhenTheAskersContextEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var m memo.Map[string, int]
		q := newQuestion()
		ctx, cancel := context.WithCancel(t.Context())
		var wait sync.WaitGroup
		wait.Go(func() {
			if _, err := m.Get(ctx, "a", q.ask); !errors.Is(err, context.Canceled) {
				t.Errorf("asker: %v, want Canceled", err)
			}
		})
		synctest.Wait()
		for range 3 {
			wait.Go(func() {
				if got, err := m.Get(t.Context(), "a", q.ask); got != 2 || err != nil {
					t.Errorf("waiter: %d, %v; want the second asker's answer", got, err)
				}
			})
		}
		synctest.Wait()
		cancel()
		synctest.Wait()
		q.answer <- nil
		wait.Wait()
		if n := q.asked.Load(); n != 2 {
			t.Errorf("asked %d times, want 2", n)
		}
	})
}

func TestWaiterTakesOverWhenTheAskerPanics(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var m memo.Map[string, int]
		release := make(chan struct{})
		var wait sync.WaitGroup
		wait.Go(func() {
			defer func() {
				if recover() == nil {
					t.Error("the panic was swallowed")
				}
			}()
			_, _ = m.Get(t.Context(), "a", func(context.Context) (int, error) { <-release; panic("bug") })
		})
		synctest.Wait()
		wait.Go(func() {
			got, err := m.Get(t.Context(), "a", func(context.Context) (int, error) { return 7, nil })
			if got != 7 || err != nil {
				t.Errorf("waiter: %d, %v", got, err)
			}
		})
		synctest.Wait()
		close(release)
		wait.Wait()
	})
}

func TestEndedContextIsAnErrorEvenIfTheAnswerIsKnown(t *testing.T) {
	t.Parallel()
	var m memo.Map[string, int]
	ask := func(context.Context) (int, error) { return 1, nil }
	if _, err := m.Get(t.Context(), "a", ask); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 100 { // select would choose at random
		if _, err := m.Get(ctx, "a", ask); !errors.Is(err, context.Canceled) {
			t.Fatalf("error = %v, want Canceled", err)
		}
	}
}

// A question that fails after it was forgotten must not take the answer with it that has come since.
func TestLateFailureLeavesTheNewAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var m memo.Map[string, int]
		slow := newQuestion()
		var wait sync.WaitGroup
		wait.Go(func() { _, _ = m.Get(t.Context(), "a", slow.ask) })
		synctest.Wait()
		m.Forget("a")
		asked := 0
		ask := func(context.Context) (int, error) { asked++; return asked, nil }
		_, _ = m.Get(t.Context(), "a", ask)
		slow.answer <- errDown
		wait.Wait()
		if got, err := m.Get(t.Context(), "a", ask); got != 1 || err != nil {
			t.Errorf("Get = %d, %v; want the remembered 1", got, err)
		}
	})
}

func ExampleMap() {
	var squares memo.Map[int, int]
	for range 2 {
		square, err := squares.Get(context.Background(), 7, func(context.Context) (int, error) {
			fmt.Println("computing")
			return 7 * 7, nil
		})
		fmt.Println(square, err)
	}
	// Output:
	// computing
	// 49 <nil>
	// 49 <nil>
}
