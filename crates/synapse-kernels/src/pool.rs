//! The worker pool: one fork and join at a time, workers that spin briefly and then park.
//!
//! The caller is worker 0. Every other worker has a slot; a run opens all slots, and a share is run
//! by whoever takes it out of its slot first: its worker, or the caller, who takes what is still
//! there when its own share is done. So a worker that sleeps, or that the system does not schedule
//! because there are more threads than cores, delays nobody, and a hot worker always runs the same
//! share (and finds its part of the weights in its cache).

use std::any::Any;
use std::cell::UnsafeCell;
use std::marker::PhantomData;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossbeam_utils::CachePadded;

/// How long a waiting thread spins before it parks. Long enough to bridge the serial work between
/// two matrix products of one token, short enough to cost nothing that shows when idle.
const SPIN: Duration = Duration::from_micros(40);

/// What a run executes: called once with each `(worker, workers)`.
type Job = dyn Fn(usize, usize) + Sync;

/// A slot's value when nothing is to be taken from it. Runs are numbered from 1.
const TAKEN: u64 = 0;

struct Shared {
    /// Number of the newest run. Written only by the thread that holds `Pool::running`.
    run: CachePadded<AtomicU64>,
    /// One for each worker, the first unused: the number of the run whose share can be taken here.
    slots: Vec<CachePadded<AtomicU64>>,
    /// Shares of the newest run that are not finished (the caller's own is not counted).
    unfinished: CachePadded<AtomicUsize>,
    /// The newest run's job and its number of shares. Read only by a thread that has taken a share
    /// of that run.
    job: UnsafeCell<Option<(*const Job, usize)>>,
    /// First panic of the newest run.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
    /// Workers that are parked or about to be.
    parked: AtomicUsize,
    /// Whether the caller is parked or about to be.
    caller_parked: AtomicBool,
    stop: AtomicBool,
    /// Guards the step from "nothing to do" to parking, for workers and caller.
    door: Mutex<()>,
    work_arrived: Condvar,
    work_finished: Condvar,
    spin: Duration,
}

// SAFETY: `job` is the only part that is not `Sync` by itself. It is written by the thread that
// holds `Pool::running`, before it opens the slots (release), and read only by a thread that has
// taken a share of that run (acquire). The next write happens after `unfinished` reached zero, thus
// after every reader has finished with it.
unsafe impl Sync for Shared {}
// SAFETY: the raw pointer in `job` is only used as described above; it has no owner thread.
unsafe impl Send for Shared {}

/// A fixed set of workers for fork-join work.
///
/// Dropping it stops and joins the workers.
pub struct Pool {
    shared: Arc<Shared>,
    workers: Vec<JoinHandle<()>>,
    /// Held during a run. A second run at the same time (from another thread, or from inside a job)
    /// does not wait for it but runs on its own thread alone.
    running: Mutex<()>,
}

impl Pool {
    /// A pool of `threads` (at least 1): the caller and `threads - 1` workers. When the system
    /// refuses a thread, the pool has fewer: the bits of a result do not depend on their number.
    pub fn new(threads: usize) -> Pool {
        let threads = threads.max(1);
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let shared = Arc::new(Shared {
            run: CachePadded::new(AtomicU64::new(0)),
            slots: (0..threads).map(|_| CachePadded::new(AtomicU64::new(TAKEN))).collect(),
            unfinished: CachePadded::new(AtomicUsize::new(0)),
            job: UnsafeCell::new(None),
            panic: Mutex::new(None),
            parked: AtomicUsize::new(0),
            caller_parked: AtomicBool::new(false),
            stop: AtomicBool::new(false),
            door: Mutex::new(()),
            work_arrived: Condvar::new(),
            work_finished: Condvar::new(),
            // With more threads than cores a spinning thread takes the core from a working one.
            spin: if threads > cores { Duration::ZERO } else { SPIN },
        });
        let mut workers = Vec::with_capacity(threads - 1);
        for worker in 1..threads {
            let shared = Arc::clone(&shared);
            let thread = std::thread::Builder::new()
                .name(format!("synapse-{worker}"))
                .spawn(move || shared.work(worker));
            match thread {
                Ok(thread) => workers.push(thread),
                Err(_) => break,
            }
        }
        Pool { shared, workers, running: Mutex::new(()) }
    }

    /// Threads of the pool, the caller included.
    pub fn threads(&self) -> usize {
        self.workers.len() + 1
    }

    /// Calls `f(worker, workers)` once for every `worker` in `0..workers` and returns when all have
    /// returned. `workers` is [`Pool::threads`], or 1 where another run of this pool is under way.
    ///
    /// # Panics
    ///
    /// With the panic of `f` (the first, if several), after every share has ended. The pool stays
    /// usable.
    pub fn run(&self, f: &(dyn Fn(usize, usize) + Sync)) {
        let workers = self.threads();
        let running = match self.running.try_lock() {
            Ok(guard) => guard,
            Err(std::sync::TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(std::sync::TryLockError::WouldBlock) => return f(0, 1),
        };
        if workers == 1 {
            drop(running);
            return f(0, 1);
        }
        let shared = &*self.shared;
        let run = shared.run.load(Ordering::Relaxed) + 1;
        // SAFETY: only the lifetime of the reference changes. Nobody reads the pointer after this
        // function returns, because it waits until every share is finished.
        let job: *const Job = unsafe {
            std::mem::transmute::<&(dyn Fn(usize, usize) + Sync), &'static Job>(f) as *const Job
        };
        // SAFETY: `running` is held and the previous run is finished, so nobody else looks at it.
        unsafe { *shared.job.get() = Some((job, workers)) };
        shared.unfinished.store(workers - 1, Ordering::Relaxed);
        for slot in &shared.slots[1..workers] {
            slot.store(run, Ordering::Release);
        }
        // Sequentially consistent, with the load of `parked`: a worker on its way to park either
        // sees this run or is seen here.
        shared.run.store(run, Ordering::SeqCst);
        if shared.parked.load(Ordering::SeqCst) > 0 {
            drop(lock(&shared.door));
            shared.work_arrived.notify_all();
        }

        shared.guarded(|| f(0, workers));
        for worker in 1..workers {
            if shared.take(worker, run) {
                shared.guarded(|| f(worker, workers));
                shared.unfinished.fetch_sub(1, Ordering::AcqRel);
            }
        }
        shared.wait_for_the_others();
        let panic = lock(&shared.panic).take();
        drop(running);
        if let Some(panic) = panic {
            resume_unwind(panic);
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::SeqCst);
        drop(lock(&self.shared.door));
        self.shared.work_arrived.notify_all();
        for worker in self.workers.drain(..) {
            // A worker's loop catches the panics of jobs; it has none of its own to report.
            let _ = worker.join();
        }
    }
}

impl Shared {
    /// The loop of one worker.
    fn work(&self, worker: usize) {
        let mut seen = 0;
        while let Some(run) = self.next_run(seen) {
            seen = run;
            if !self.take(worker, run) {
                continue;
            }
            // SAFETY: this thread has taken a share of run `run`, so the job was written before the
            // slot was opened, and its owner waits until the share is counted as finished.
            let job = unsafe { (*self.job.get()).map(|(job, workers)| (&*job, workers)) };
            if let Some((job, workers)) = job {
                self.guarded(|| job(worker, workers));
            }
            // Sequentially consistent, with the load after it: the caller on its way to park either
            // sees the count or is seen here.
            if self.unfinished.fetch_sub(1, Ordering::SeqCst) == 1
                && self.caller_parked.load(Ordering::SeqCst)
            {
                drop(lock(&self.door));
                self.work_finished.notify_all();
            }
        }
    }

    /// Waits for a run newer than `seen`; `None` when the pool is dropped.
    fn next_run(&self, seen: u64) -> Option<u64> {
        let newer = || match self.run.load(Ordering::SeqCst) {
            run if run > seen => Some(run),
            _ => None,
        };
        let stopped = || self.stop.load(Ordering::SeqCst);
        if self.spin_until(|| newer().is_some() || stopped()) {
            return newer();
        }
        self.parked.fetch_add(1, Ordering::SeqCst);
        let mut door = lock(&self.door);
        let found = loop {
            let run = newer();
            if run.is_some() || stopped() {
                break run;
            }
            door = self.work_arrived.wait(door).unwrap_or_else(PoisonError::into_inner);
        };
        drop(door);
        self.parked.fetch_sub(1, Ordering::SeqCst);
        found
    }

    /// Takes the share of `worker` in run `run`, if nobody has and the run is still the newest.
    fn take(&self, worker: usize, run: u64) -> bool {
        self.slots[worker].compare_exchange(run, TAKEN, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    /// Runs a share and keeps its panic, if it is the first of the run.
    fn guarded(&self, share: impl FnOnce()) {
        // The data that the job touches may be half written after a panic; the caller of `run` gets
        // the panic and decides, as with any function that panics.
        if let Err(panic) = catch_unwind(AssertUnwindSafe(share)) {
            lock(&self.panic).get_or_insert(panic);
        }
    }

    /// The caller's end of a run.
    fn wait_for_the_others(&self) {
        let finished = || self.unfinished.load(Ordering::SeqCst) == 0;
        if finished() || self.spin_until(finished) {
            return;
        }
        self.caller_parked.store(true, Ordering::SeqCst);
        let mut door = lock(&self.door);
        while !finished() {
            door = self.work_finished.wait(door).unwrap_or_else(PoisonError::into_inner);
        }
        drop(door);
        self.caller_parked.store(false, Ordering::SeqCst);
    }

    /// Spins until `done` or until the spinning time is over; whether it is done.
    fn spin_until(&self, done: impl Fn() -> bool) -> bool {
        if self.spin.is_zero() {
            return done();
        }
        let start = Instant::now();
        loop {
            // Reading the clock is dearer than looking at the flag.
            for _ in 0..32 {
                if done() {
                    return true;
                }
                std::hint::spin_loop();
            }
            if start.elapsed() >= self.spin {
                return false;
            }
        }
    }
}

/// Locks a mutex that guards no invariant a panic could break.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A slice whose parts several workers write at the same time, each its own.
pub struct DisjointMut<'a, T> {
    start: *mut T,
    len: usize,
    slice: PhantomData<&'a mut [T]>,
}

// SAFETY: sharing it only lets other threads ask for `&mut` parts, which they may have where `T` is
// `Send`; that the parts do not overlap is the promise of each caller of `slice`.
unsafe impl<T: Send> Sync for DisjointMut<'_, T> {}
// SAFETY: it stands for an `&mut [T]`, which is `Send` where `T` is.
unsafe impl<T: Send> Send for DisjointMut<'_, T> {}

impl<'a, T> DisjointMut<'a, T> {
    /// Takes the slice for as long as its parts are written.
    pub fn new(slice: &'a mut [T]) -> Self {
        DisjointMut { start: slice.as_mut_ptr(), len: slice.len(), slice: PhantomData }
    }

    /// Elements of the whole slice.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the slice has no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The elements of `range`.
    ///
    /// # Panics
    ///
    /// When `range` reaches past the end.
    ///
    /// # Safety
    ///
    /// While the returned part lives, no other part that is asked for may overlap it.
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn slice(&self, range: Range<usize>) -> &mut [T] {
        assert!(
            range.start <= range.end && range.end <= self.len,
            "part {range:?} of a slice of {} elements",
            self.len
        );
        // SAFETY: the range lies in the slice that was borrowed for `'a`, and the caller promises
        // that nobody else has any of its elements.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(range.start), range.len()) }
    }
}

/// The part of `0..n` that `worker` of `workers` does: contiguous, in order, with borders at
/// multiples of `grain` (0 counts as 1). The parts of all workers cover `0..n` exactly once; their
/// sizes differ by at most one grain.
pub fn split(n: usize, worker: usize, workers: usize, grain: usize) -> Range<usize> {
    let grain = grain.max(1);
    let workers = workers.max(1);
    let grains = n.div_ceil(grain);
    let (each, rest) = (grains / workers, grains % workers);
    let border = |worker: usize| {
        let worker = worker.min(workers);
        (worker * each + worker.min(rest)).saturating_mul(grain).min(n)
    };
    border(worker)..border(worker + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_worker_runs_exactly_once_a_run() {
        for threads in 1..=5 {
            let pool = Pool::new(threads);
            assert_eq!(pool.threads(), threads);
            for _ in 0..300 {
                let calls: Vec<_> = (0..threads).map(|_| AtomicUsize::new(0)).collect();
                pool.run(&|worker, workers| {
                    assert_eq!(workers, threads);
                    calls[worker].fetch_add(1, Ordering::Relaxed);
                });
                assert!(calls.iter().all(|calls| calls.load(Ordering::Relaxed) == 1));
            }
        }
    }

    #[test]
    fn what_the_workers_wrote_is_seen_after_the_run() {
        let pool = Pool::new(3);
        let mut numbers = vec![0usize; 1000];
        for round in 1..200 {
            let parts = DisjointMut::new(&mut numbers);
            pool.run(&|worker, workers| {
                // SAFETY: `split` gives each worker its own range.
                let part = unsafe { parts.slice(split(1000, worker, workers, 7)) };
                part.iter_mut().for_each(|number| *number += round);
            });
            assert!(numbers.iter().all(|&number| number == round * (round + 1) / 2));
        }
    }

    #[test]
    fn more_threads_than_cores_do_all_shares() {
        let pool = Pool::new(33);
        for _ in 0..50 {
            let calls = AtomicUsize::new(0);
            pool.run(&|_, _| {
                calls.fetch_add(1, Ordering::Relaxed);
            });
            assert_eq!(calls.into_inner(), pool.threads());
        }
    }

    #[test]
    fn workers_that_have_parked_wake_up() {
        let pool = Pool::new(2);
        for _ in 0..5 {
            std::thread::sleep(SPIN * 20);
            let here = std::thread::current().id();
            let elsewhere = AtomicUsize::new(0);
            pool.run(&|worker, _| {
                // The caller's share is long, so that the worker has time to take its own.
                if worker == 0 {
                    std::thread::sleep(Duration::from_millis(40));
                } else if std::thread::current().id() != here {
                    elsewhere.fetch_add(1, Ordering::Relaxed);
                }
            });
            assert_eq!(elsewhere.into_inner(), 1, "the caller had to do the worker's share");
        }
    }

    #[test]
    fn a_panic_reaches_the_caller_and_the_pool_stays_usable() {
        let pool = Pool::new(3);
        for culprit in 0..3 {
            let finished = AtomicUsize::new(0);
            let panic = catch_unwind(AssertUnwindSafe(|| {
                pool.run(&|worker, _| {
                    if worker == culprit {
                        resume_unwind(Box::new(worker));
                    }
                    finished.fetch_add(1, Ordering::Relaxed);
                });
            }))
            .unwrap_err();
            assert_eq!(panic.downcast_ref::<usize>(), Some(&culprit));
            assert_eq!(finished.into_inner(), 2, "the other shares end first");
            let calls = AtomicUsize::new(0);
            pool.run(&|_, _| {
                calls.fetch_add(1, Ordering::Relaxed);
            });
            assert_eq!(calls.into_inner(), 3);
        }
    }

    #[test]
    fn a_run_inside_a_run_and_runs_from_two_threads_are_done_whole() {
        let pool = Pool::new(3);
        let done = AtomicUsize::new(0);
        let count = |worker: usize, workers: usize| {
            let shares = split(60, worker, workers, 1).len();
            done.fetch_add(shares, Ordering::Relaxed);
        };
        pool.run(&|_, _| pool.run(&count));
        assert_eq!(done.swap(0, Ordering::Relaxed), 3 * 60);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..200).for_each(|_| pool.run(&count)));
            }
        });
        assert_eq!(done.into_inner(), 4 * 200 * 60);
    }

    #[test]
    fn dropping_the_pool_joins_its_workers() {
        let alive = Arc::new(());
        let pool = Pool::new(4);
        let shared = Arc::downgrade(&pool.shared);
        let held = Arc::clone(&alive);
        pool.run(&move |_, _| {
            let _ = &held;
        });
        drop(pool);
        assert!(shared.upgrade().is_none(), "a worker still holds the pool's state");
        assert_eq!(Arc::strong_count(&alive), 1);
    }

    #[test]
    fn the_parts_of_a_split_cover_everything_once_at_grain_borders() {
        for n in 0..70 {
            for workers in 1..6 {
                for grain in [1, 4, 16, 64] {
                    let mut next = 0;
                    for worker in 0..workers {
                        let part = split(n, worker, workers, grain);
                        assert_eq!(part.start, next);
                        assert!(part.end.is_multiple_of(grain) || part.end == n);
                        next = part.end;
                    }
                    assert_eq!(next, n);
                }
            }
        }
        assert_eq!(split(10, 0, 0, 0), 0..10);
    }

    #[test]
    #[should_panic(expected = "part 3..5 of a slice of 4 elements")]
    fn a_part_past_the_end_is_refused() {
        let mut four = [0u8; 4];
        let parts = DisjointMut::new(&mut four);
        // SAFETY: only one part is asked for.
        let _ = unsafe { parts.slice(3..5) };
    }
}
