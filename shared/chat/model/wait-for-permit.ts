import type { ChatContext } from '../context.ts';
import {
  type Thread,
  type QueueDelivery,
  type UserId,
  threadKey,
  type TurnRef,
  type TaskResult,
} from '../../domain/index.ts';
import {
  RateLimitExceededError,
  QueuedRequestError,
  findMaxWeight,
  AllModelsBusyError,
} from '../../rate-limits/index.ts';
import type { RequestPermit, PermitRequest, PermitDecision } from '../../storage/index.ts';
import type { StatusIndicator } from '../display/progress-display.ts';
import { MIN_COUNTDOWN_MS, formatModelBusy, WaitStatus, formatQueueWait } from '../display/queue-status.ts';
import { getListIds, resolve } from '../../settings/rules/index.ts';
import { localize } from '../../i18n/index.ts';
import { resolveTurnLocale } from '../../settings/index.ts';
import type { RequestPermits } from '../../ports/index.ts';

/** Longest wait for a permit within one delivery, if the task cannot return to the queue. */
const MAX_WAIT_MS = 60_000;
/** A task that can return to the queue does so for longer waits: waiting there costs nothing. */
export const MAX_IN_WORKER_WAIT_MS = 5_000;
/** Tolerated overrun of a growing wait before the task is retried by another delivery. */
const OVERTIME_MS = 5_000;
/** Polling of the queue position: a fraction of the remaining wait, within these bounds. */
const MIN_POLL_MS = 1_000;
const MAX_POLL_MS = 3_000;
const POLL_FRACTION = 0.2;

export type PermitWait = {
  /** Shows the wait. */
  readonly statusIndicator?: Pick<StatusIndicator, 'show'> | undefined;
  /** Ends the wait; it rejects with the signal's reason. */
  readonly signal: AbortSignal;
  /** Also aborts `signal`; then another worker continues with the request and its queue position. */
  readonly handoverSignal?: AbortSignal | undefined;
  /** The deadline of the wait (ms since 1970). */
  readonly deadlineMs: number;
  /** Whether the task can return to the queue for longer waits. Requires an id in `permitRequest`. */
  readonly canRequeue?: boolean | undefined;
  readonly permitRequest: Omit<PermitRequest, 'maxWaitMs'>;
  readonly context: Pick<ChatContext, 'permits' | 'time' | 'settings'>;
};

/** Returns the deadline (ms since 1970) of the waits of one delivery. */
export function waitDeadlineMs(
  { deadline }: QueueDelivery,
  { now }: Pick<ChatContext['time'], 'now'>,
): number {
  return now() + Math.max(0, Math.min(MAX_WAIT_MS, Math.floor((deadline - now()) / 2)));
}

/**
 * Waits for a permit to send one request and shows position and time. Rejects with RateLimitExceededError if the wait is too
 * long, or with QueuedRequestError if the task can return to the queue: then the position is kept, otherwise it is released.
 */
export async function waitForPermit(wait: PermitWait): Promise<RequestPermit> {
  const { context, permitRequest, signal, deadlineMs, statusIndicator, canRequeue = false } = wait;
  const { permits, time, settings } = context;
  const status = new WaitStatus(statusIndicator, { time, zone: settings.zone }, permitRequest.requestedAtMs);
  for (;;) {
    signal.throwIfAborted();
    const remainingMs = Math.max(0, deadlineMs - time.now());
    const decision = await permits.take({ ...permitRequest, maxWaitMs: canRequeue ? Infinity : remainingMs });
    if (decision.kind === 'granted') return decision.permit;
    if (decision.kind === 'waiting') return await joinQueue(decision, status, wait);
    // Otherwise all rejected requests would retry together for one permit.
    if (decision.retryAfterMs > (canRequeue ? Math.min(MAX_IN_WORKER_WAIT_MS, remainingMs) : remainingMs))
      throw new RateLimitExceededError(decision.retryAfterMs);
    await waitWithStatus(decision.retryAfterMs, wait, status);
    status.end();
  }
}

async function joinQueue(
  first: Extract<PermitDecision, { kind: 'waiting' }>,
  status: WaitStatus,
  { context, signal, handoverSignal, deadlineMs, canRequeue = false }: PermitWait,
): Promise<RequestPermit> {
  const { permits, time } = context;
  let decision: Exclude<PermitDecision, { kind: 'refused' }> = first;
  let { place } = first;
  try {
    while (decision.kind === 'waiting') {
      const { waitMs, ahead } = decision;
      ({ place } = decision);
      if (!canRequeue && time.now() + waitMs > deadlineMs + OVERTIME_MS)
        throw new RateLimitExceededError(waitMs);
      status.update(waitMs, ahead);
      // A turn may seem near for long, while those before it do not take theirs.
      if (canRequeue && (time.now() > deadlineMs || (waitMs > MAX_IN_WORKER_WAIT_MS && status.isSettled)))
        throw new QueuedRequestError(Math.max(waitMs, MAX_IN_WORKER_WAIT_MS));
      await time.sleep(shortestWaitMs(waitMs, pollDelay(waitMs), status.untilFirstStatusMs), signal);
      decision = await permits.poll(place);
    }
    status.end();
    return decision.permit;
  } catch (error) {
    if (!(error instanceof QueuedRequestError || handoverSignal?.aborted)) await permits.leave(place);
    throw error;
  }
}

/** Sleeps and shows the remaining time. */
export async function waitWithStatus(
  ms: number,
  { context, signal }: Pick<PermitWait, 'signal'> & { readonly context: Pick<ChatContext, 'time'> },
  status: WaitStatus,
): Promise<void> {
  const { time } = context;
  const end = time.now() + ms;
  for (let left = ms; left > 0; left = end - time.now()) {
    status.update(left);
    await time.sleep(
      status.isSilent ? left : shortestWaitMs(left, MIN_POLL_MS, status.untilFirstStatusMs),
      signal,
    );
  }
}

const pollDelay = (waitMs: number): number =>
  Math.min(MAX_POLL_MS, Math.max(MIN_POLL_MS, waitMs * POLL_FRACTION));

/** Returns the shortest positive time (ms). */
const shortestWaitMs = (...times: readonly number[]): number => Math.min(...times.filter((ms) => ms > 0));

/** Returns the holder of a permit, unique in the deployment, for the fair share of each person. */
export function toHolder({ platform, workspace }: Pick<Thread, 'platform' | 'workspace'>, user: string) {
  return {
    priority: 'person',
    home: { platform, workspace },
    person: `${platform}#${workspace}#U#${user}`,
  } as const;
}

/**
 * Returns the fair-share weight of a person from the settings. Reads roles and groups only if the setting
 * lists anyone; unreadable roles count as none.
 */
export async function readFairShareWeight(
  home: Pick<Thread, 'platform' | 'workspace'>,
  user: UserId,
  { settings, memberRoles }: Pick<ChatContext, 'settings' | 'memberRoles'>,
): Promise<number> {
  const favoured = resolve('favoured', settings.layers).value ?? [];
  if (favoured.length === 0) return 1;
  const { roles } = await memberRoles(home, user).catch(() => ({ roles: [] }));
  return findMaxWeight(favoured, getListIds(user, roles));
}

/** TTL of a prefetched permit; an older one is released and replaced. */
const PERMIT_TTL_MS = 500;

/** A free permit that is taken while the question is claimed and its history is read: see `KeyRateLimiter.takeFree`. */
export class PrefetchedPermit {
  readonly #context: Pick<ChatContext, 'permits' | 'time'>;
  readonly #requestedAt: number;
  #taking: Promise<RequestPermit | undefined> | undefined;

  constructor(
    permitRequest: Omit<PermitRequest, 'maxWaitMs'>,
    context: Pick<ChatContext, 'permits' | 'time'>,
  ) {
    this.#context = context;
    this.#requestedAt = context.time.now();
    this.#taking = context.permits.takeFree(permitRequest);
  }

  /** Returns the permit for an immediate request; undefined if there was none, or it is expired or used. Never rejects. */
  async use(): Promise<RequestPermit | undefined> {
    const permit = await this.#consume();
    if (!permit || this.#context.time.now() - this.#requestedAt <= PERMIT_TTL_MS) return permit;
    await this.#context.permits.release(permit);
    return undefined;
  }

  /** Releases an unused permit. Never rejects. */
  async end(): Promise<void> {
    const permit = await this.#consume();
    if (permit) await this.#context.permits.release(permit);
  }

  #consume(): Promise<RequestPermit | undefined> {
    const pending = this.#taking ?? Promise.resolve(undefined);
    this.#taking = undefined;
    return pending;
  }
}

/** A question returns this long before its turn, so that a worker can claim it and read the history. */
const RETURN_EARLY_MS = 2_000;
/**
 * A waiting question is checked after a third of the remaining time, within these bounds: its position changes, and people
 * stop, edit and delete questions. Slack clears a status after two minutes.
 */
const RECHECK_FRACTION = 1 / 3;
const MIN_RECHECK_MS = 15_000;
export const MAX_RECHECK_MS = 90_000;

/** Returns the delay of a task that waits `queueWaitMs` in the wait queue of a key. */
export function returnToQueue(queueWaitMs: number): Extract<TaskResult, { kind: 'later' }> {
  const untilTurn = Math.max(0, queueWaitMs - RETURN_EARLY_MS);
  const recheckMs = Math.min(MAX_RECHECK_MS, Math.max(MIN_RECHECK_MS, queueWaitMs * RECHECK_FRACTION));
  // A check shortly before the turn would only wait in the worker.
  const afterMs = untilTurn <= 2 * MIN_RECHECK_MS ? untilTurn : recheckMs;
  return { kind: 'later', afterMs, queueWaitMs };
}

/** The wait queue id of a question, the same in every worker. */
export const getWaitId = ({ thread, message }: Pick<TurnRef, 'thread' | 'message'>): string =>
  `${threadKey(thread)}#${message}`;

/** Removes a question from the wait queue of a key, so that others come sooner. Never rejects. */
export async function leaveQueue(
  turn: TurnRef,
  { permits }: { readonly permits: Pick<RequestPermits, 'leaveById'> },
): Promise<void> {
  const { home } = toHolder(turn.thread, turn.asker);
  await permits.leaveById({ id: getWaitId(turn), home });
}

/**
 * Checks a redelivered question before it is claimed. If its turn is more than a few seconds away and there is no signal,
 * updates the status and returns it to the queue, with the receipt handle of this delivery. Never rejects.
 */
export async function returnIfStillQueued(
  turn: TurnRef,
  context: Pick<ChatContext, 'permits' | 'signals' | 'platform' | 'settings' | 'time'> &
    Parameters<typeof resolveTurnLocale>[1],
  { isRedelivery, isLast, receipt }: QueueDelivery,
): Promise<TaskResult | undefined> {
  if (!isRedelivery || isLast) return undefined;
  const { permits, signals, platform, time, settings } = context;
  try {
    const { home } = toHolder(turn.thread, turn.asker);
    const position = await permits.find({ id: getWaitId(turn), home });
    if (!position || position.waitMs <= MAX_IN_WORKER_WAIT_MS) return undefined;
    const { signal } = await signals.poll(turn);
    if (signal) return undefined;
    const { waitMs, ahead } = position;
    const status = formatQueueWait(waitMs, { ahead, now: time.now(), zone: settings.zone });
    await platform.showStatus(turn, localize(await resolveTurnLocale(turn, context), ...status), 'waiting');
    if (receipt !== undefined && !(await signals.keepWaiting(turn, receipt))) return undefined;
    return returnToQueue(waitMs);
  } catch {
    return undefined;
  }
}

/** Polling interval of the breakers: another request may have found out that the model has capacity again. */
const POLL_INTERVAL_MS = 500;
/** Shorter waits are not shown, unless they are counted down. */
const MIN_SHOWN_WAIT_MS = 1_000;
/** The status is updated this often. */
const UPDATE_INTERVAL_MS = 5_000;

type ModelAvailabilityContext = Pick<ChatContext, 'breakers' | 'time' | 'settings'>;

/**
 * Waits until the breaker of one of these models lets a request pass, and shows the wait. Resolves with whether it showed one. Rejects with
 * AllModelsBusyError if that takes until after the deadline, or longer than the worker waits if the task
 * can return to the queue. Rejects with the reason of the signal.
 */
export async function waitUntilAvailable(
  models: readonly string[],
  deadlineMs: number,
  {
    context,
    statusIndicator,
    signal,
    canRequeue = false,
  }: Pick<PermitWait, 'statusIndicator' | 'signal' | 'canRequeue'> & {
    readonly context: ModelAvailabilityContext;
  },
): Promise<boolean> {
  const { breakers, time, settings } = context;
  if (models.length === 0) return false;
  const startedAt = time.now();
  let shownAt = -Infinity;
  for (;;) {
    signal.throwIfAborted();
    const waits = await Promise.all(models.map((model) => breakers.waitMs(model)));
    const wait = Math.min(...waits);
    const now = time.now();
    if (wait === 0) return shownAt > 0;
    if (now + wait > deadlineMs || (canRequeue && wait > MAX_IN_WORKER_WAIT_MS))
      throw new AllModelsBusyError(wait);
    const isShown = wait >= MIN_COUNTDOWN_MS || now - startedAt >= MIN_SHOWN_WAIT_MS;
    if (isShown && now - shownAt >= UPDATE_INTERVAL_MS) {
      statusIndicator?.show(formatModelBusy(wait, now, settings.zone));
      shownAt = now;
    }
    await time.sleep(Math.min(wait, POLL_INTERVAL_MS), signal);
  }
}
