import type { ChatContext } from '../context.ts';
import type { Thread } from '../../domain/index.ts';
import { RateLimitExceededError, QueuedRequestError } from '../../rate-limits/index.ts';
import type { QueueDelivery, RequestPermit, PermitRequest, PermitDecision } from '../../context/index.ts';
import type { StatusIndicator } from '../display/status-indicator.ts';
import { QueueStatus } from '../display/queue-status.ts';

/** How long a request waits for its permit within one delivery where it cannot be left to the queue. */
const MAX_WAIT_MS = 60_000;
/** A longer wait than this is left to the queue of tasks where nothing is lost by that: there it costs nothing. */
export const MAX_STAY_MS = 5_000;
/** A wait that grows is left to another delivery if it ends so much later than there was time. */
const OVERTIME_MS = 5_000;
/** Whoever stands in line looks at it again and again, the sooner the less is left: others leave, or come before. */
const MIN_LOOK_MS = 1_000;
const MAX_LOOK_MS = 3_000;
const LOOK_PART = 0.2;

export type PermitWait = {
  /** Told how the wait stands, if it is worth a word, and that it is over. */
  readonly thinking?: Pick<StatusIndicator, 'show'> | undefined;
  /** Ends the wait; it rejects with the signal's reason. */
  readonly signal: AbortSignal;
  /** Ends it too, through `signal`; by then another task or process goes on with the request, and takes up its position under its id. */
  readonly handedOn?: AbortSignal | undefined;
  /** Nothing is waited for after this (ms since 1970). */
  readonly untilMs: number;
  /** Nothing is lost if the task begins anew later: a wait of more than a few seconds is left to the queue. `ask` has an id. */
  readonly mayLeave?: boolean | undefined;
  readonly ask: Omit<PermitRequest, 'maxWaitMs'>;
  readonly context: Pick<ChatContext, 'permits' | 'time' | 'settings'>;
};

/** Until when one delivery waits for what it needs (ms since 1970). */
export function maxWaitMs({ deadline }: QueueDelivery, { now }: Pick<ChatContext['time'], 'now'>): number {
  return now() + Math.max(0, Math.min(MAX_WAIT_MS, Math.floor((deadline - now()) / 2)));
}

/**
 * Takes the right to send one request, and waits until it may be used; whoever waits is told their place and for how long.
 * Rejects with RateLimitExceededError when that is too far off, and with QueuedRequestError where the wait may be left to the queue of tasks: the position is kept
 * then. Otherwise it is left when the wait is ended.
 */
export async function waitForPermit(wait: PermitWait): Promise<RequestPermit> {
  const { context, ask, signal, untilMs, thinking, mayLeave = false } = wait;
  const { permits, time, settings } = context;
  const status = new QueueStatus(thinking, { time, zone: settings.zone }, ask.askedMs);
  for (;;) {
    signal.throwIfAborted();
    const patience = Math.max(0, untilMs - time.now());
    const decision = await permits.take({ ...ask, maxWaitMs: mayLeave ? Infinity : patience });
    if (decision.kind === 'granted') return decision.permit;
    if (decision.kind === 'waiting') return await joinQueue(decision, status, wait);
    // All who are refused together would otherwise come back together, a moment later, for one permit.
    if (decision.retryAfterMs > (mayLeave ? Math.min(MAX_STAY_MS, patience) : patience))
      throw new RateLimitExceededError(decision.retryAfterMs);
    await waitWithStatus(decision.retryAfterMs, wait, status);
    status.end();
  }
}

async function joinQueue(
  first: Extract<PermitDecision, { kind: 'waiting' }>,
  status: QueueStatus,
  { context, signal, handedOn, untilMs, mayLeave = false }: PermitWait,
): Promise<RequestPermit> {
  const { permits, time } = context;
  let stands: Exclude<PermitDecision, { kind: 'refused' }> = first;
  let { place } = first;
  try {
    while (stands.kind === 'waiting') {
      const { waitMs, ahead } = stands;
      ({ place } = stands);
      if (!mayLeave && time.now() + waitMs > untilMs + OVERTIME_MS) throw new RateLimitExceededError(waitMs);
      status.update(waitMs, ahead);
      if (mayLeave && waitMs > MAX_STAY_MS && status.hasToldAll) throw new QueuedRequestError(waitMs);
      await time.sleep(soonest(waitMs, pollDelay(waitMs), status.untilFirstStatusMs), signal);
      stands = await permits.poll(place);
    }
    status.end();
    return stands.permit;
  } catch (error) {
    if (!(error instanceof QueuedRequestError || handedOn?.aborted)) await permits.leave(place);
    throw error;
  }
}

/** Sleeps for so long (ms), and tells meanwhile how long it still takes. */
export async function waitWithStatus(
  ms: number,
  { context, signal }: Pick<PermitWait, 'signal'> & { readonly context: Pick<ChatContext, 'time'> },
  status: QueueStatus,
): Promise<void> {
  const { time } = context;
  const end = time.now() + ms;
  for (let left = ms; left > 0; left = end - time.now()) {
    status.update(left);
    await time.sleep(status.isSilent ? left : soonest(left, MIN_LOOK_MS, status.untilFirstStatusMs), signal);
  }
}

const pollDelay = (waitMs: number): number =>
  Math.min(MAX_LOOK_MS, Math.max(MIN_LOOK_MS, waitMs * LOOK_PART));

/** The shortest of these times (ms); those that are over do not count. */
const soonest = (...times: readonly number[]): number => Math.min(...times.filter((ms) => ms > 0));

/** Whose request it is, by a name that is theirs alone within the deployment: a fair share is kept of each. */
export function permitHolder({ platform, workspace }: Pick<Thread, 'platform' | 'workspace'>, user: string) {
  return {
    priority: 'person',
    home: { platform, workspace },
    person: `${platform}#${workspace}#U#${user}`,
  } as const;
}
