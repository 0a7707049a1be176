import { type IntegrationPlace, isIntegration } from '../../domain/index.ts';
import type { Time } from '../../runtime/index.ts';
import type { ApiRequest, ApiRequests, LiveAnswer, LiveAnswers } from '../../storage/index.ts';

/** Where a request stands. */
export type AnswerState = {
  readonly request: ApiRequest;
  /** Undefined until the question is in its channel. */
  readonly answer: LiveAnswer | undefined;
};

export type FollowContext = {
  readonly requests: Pick<ApiRequests, 'find'>;
  readonly answers: Pick<LiveAnswers, 'read'>;
  readonly time: Time;
};

/** Reads where a request stands; undefined if it is unknown or expired. */
async function readAnswerState(
  place: IntegrationPlace,
  known: ApiRequest,
  { requests, answers }: Pick<FollowContext, 'requests' | 'answers'>,
): Promise<AnswerState | undefined> {
  const request = known.turn ? known : await requests.find(place, known.integration, known.id);
  if (!request) return undefined;
  const { turn, channel } = request;
  if (!turn || request.failure) return { request, answer: undefined };
  const thread = { ...place, channel, root: turn.root };
  return { request, answer: await answers.read({ thread, message: turn.message }) };
}

/** Whether nothing more will follow. */
export const isOver = ({ request, answer }: AnswerState): boolean =>
  request.failure !== undefined || (answer !== undefined && answer.kind !== 'pending');

/** Readers look often at first, so that they see the first words soon. */
const FIRST_INTERVAL_MS = 200;
const INTERVAL_MS = 500;
const FIRST_MS = 3_000;
/** A turn that was just accepted may be missing for a moment; after that it is gone. */
const MAX_GONE_READS = 3;
/**
 * A worker may die after it posted a question in its channel and before it recorded the turn. The queue then delivers its task again within this
 * time of the request (ms), in which a missing turn is not gone.
 */
const MAX_UNRECORDED_MS = 15 * 60_000;

/**
 * Yields where a request stands, each time it changed, until its answer has ended or `untilMs` (ms since 1970). The last state is yielded in any case.
 * Rejects if the table is unavailable.
 */
export async function* followAnswer(
  place: IntegrationPlace,
  request: ApiRequest,
  untilMs: number,
  context: FollowContext,
): AsyncGenerator<AnswerState | undefined> {
  const { time } = context;
  const startMs = time.now();
  let known = request;
  let goneReads = 0;
  let wasRecorded = false;
  for (;;) {
    const current = await readAnswerState(place, known, context);
    if (current === undefined) {
      yield undefined;
      return;
    }
    wasRecorded ||= current.answer !== undefined && current.answer.kind !== 'gone';
    const state =
      !wasRecorded && mayBeUnrecorded(current, time.now()) ? { ...current, answer: undefined } : current;
    known = state.request;
    goneReads = state.answer?.kind === 'gone' ? goneReads + 1 : 0;
    const isEnd = isOver(state) && (goneReads === 0 || goneReads >= MAX_GONE_READS);
    if (goneReads === 0 || isEnd) yield state;
    // A turn that is missing is looked for again also after the deadline: it ends a wait of 0 s, which has to say that the turn is gone.
    if (isEnd || (goneReads === 0 && time.now() >= untilMs)) return;
    const intervalMs = time.now() - startMs < FIRST_MS ? FIRST_INTERVAL_MS : INTERVAL_MS;
    const leftMs = goneReads === 0 ? Math.max(1, untilMs - time.now()) : Infinity;
    await time.sleep(Math.min(intervalMs, leftMs));
  }
}

/** Whether the turn of a question in a channel may still be recorded. A question that was deleted meanwhile looks the same. */
const mayBeUnrecorded = ({ request, answer }: AnswerState, nowMs: number): boolean =>
  answer?.kind === 'gone' && !isIntegration(request.channel) && nowMs - request.at < MAX_UNRECORDED_MS;
