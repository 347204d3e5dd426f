package queue

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// ErrClosed is returned by Push once the queue takes no more work.
var ErrClosed = errors.New("queue: closed")

// Job is one piece of work and how often it was tried.
type Job struct {
	ID       string
	Payload  []byte
	Attempts int
	RunAfter time.Time
}

// Queue hands out jobs in the order in which they may run.
type Queue struct {
	mu     sync.Mutex
	jobs   []*Job
	closed bool
	wake   chan struct{}
}

func New() *Queue {
	return &Queue{wake: make(chan struct{}, 1)}
}

func (q *Queue) Push(job *Job) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return fmt.Errorf("push %s: %w", job.ID, ErrClosed)
	}
	at := len(q.jobs)
	for i, other := range q.jobs {
		if job.RunAfter.Before(other.RunAfter) {
			at = i
			break
		}
	}
	q.jobs = append(q.jobs, nil)
	copy(q.jobs[at+1:], q.jobs[at:])
	q.jobs[at] = job
	select {
	case q.wake <- struct{}{}:
	default:
	}
	return nil
}

func (q *Queue) Pop(ctx context.Context) (*Job, error) {
	for {
		q.mu.Lock()
		wait := time.Hour
		if len(q.jobs) > 0 {
			next := q.jobs[0]
			wait = time.Until(next.RunAfter)
			if wait <= 0 {
				q.jobs = q.jobs[1:]
				q.mu.Unlock()
				return next, nil
			}
		}
		q.mu.Unlock()
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil, ctx.Err()
		case <-q.wake:
			timer.Stop()
		case <-timer.C:
		}
	}
}
