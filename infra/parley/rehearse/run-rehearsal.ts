import * as v from 'valibot';
import { judgeOutcome, type RehearsedQuestion, type Sighting } from './rehearsal.ts';
import type { Stage } from './stages.ts';

/** The state of the answer to a message. */
export type AnswerState = 'answered' | 'failed' | 'waiting' | undefined;

export type RehearsalDeps = {
  readonly readState: (message: string) => Promise<AnswerState>;
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  readonly report: (line: string) => void;
  /** How long one question may take, in ms. */
  readonly timeoutMs: number;
};

const POLL_MS = 500;
/** The final update is shown a moment after the answer has ended. */
const SETTLE_MS = 1_500;

/** The questions on each platform, in order. The second one follows in the thread of the first. */
const SCRIPT = [
  { where: 'in a channel', text: 'What is 6 * 7?' },
  { where: 'in its thread', text: 'What did I ask first?' },
  { where: 'in a direct message', text: 'Say hello.' },
] as const;

/** Asks the questions of the script on a platform, one after the other. Resolves with what people saw. */
export async function rehearseOn(stage: Stage, deps: RehearsalDeps): Promise<readonly RehearsedQuestion[]> {
  const questions: RehearsedQuestion[] = [];
  let first: { readonly id: string; readonly answer: Sighting | undefined } | undefined;
  for (const [index, { where, text }] of SCRIPT.entries()) {
    const { platform, sightings } = stage;
    deps.report(`${platform}: ${text}`);
    sightings.take();
    const askedAt = deps.now();
    const place = toPlace(index, first);
    const id = await stage.ask(text, place);
    const state = await waitForEnd(id, askedAt, deps);
    const seen = sightings.take();
    const outcome = judgeOutcome(state, seen);
    questions.push({ platform, where, text, askedAt, outcome, sightings: seen });
    first ??= { id, answer: seen.find(({ kind }) => kind === 'message') };
  }
  return questions;
}

const toPlace = (
  index: number,
  first: { readonly id: string; readonly answer: Sighting | undefined } | undefined,
): Parameters<Stage['ask']>[1] => {
  if (index === 1 && first) return { after: first.id, answer: first.answer };
  return index === 0 ? 'channel' : 'direct';
};

async function waitForEnd(id: string, askedAt: number, deps: RehearsalDeps): Promise<AnswerState> {
  for (;;) {
    const state = await deps.readState(id);
    if (state === 'answered' || state === 'failed') {
      await deps.sleep(SETTLE_MS);
      return state;
    }
    if (deps.now() - askedAt > deps.timeoutMs) return state;
    await deps.sleep(POLL_MS);
  }
}

const dataSchema = v.object({
  messages: v.array(
    v.object({ message: v.optional(v.string()), state: v.picklist(['answered', 'failed', 'waiting']) }),
  ),
});

const faultsSchema = v.object({
  faults: v.array(v.object({ name: v.string(), unavailable: v.optional(v.string()) })),
});

const REQUEST_TIMEOUT_MS = 10_000;
const MINUTES = 60;

const timeout = (): AbortSignal => AbortSignal.timeout(REQUEST_TIMEOUT_MS);

/** The dashboard of the rehearsed system: its messages, and its fault panel. */
export async function openDashboard(api: string) {
  const { headers } = await fetch(`${api}/dashboard`, { redirect: 'manual', signal: timeout() });
  const base = headers.get('location') ?? '';
  const read = async (): Promise<unknown> =>
    (await fetch(new URL(`/data?minutes=${MINUTES}`, base), { signal: timeout() })).json();
  return {
    readState: async (message: string): Promise<AnswerState> => {
      const { messages } = v.parse(dataSchema, await read());
      return messages.find((row) => row.message === message)?.state;
    },
    /** Switches a fault on for the given number of seconds. `reason`: why that is not possible, if it is known. */
    switchFault: async (
      name: string,
      seconds: number,
    ): Promise<{ readonly isOn: boolean; readonly reason?: string | undefined }> => {
      const { ok } = await fetch(new URL('/faults', base), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ name, seconds }),
        signal: timeout(),
      });
      if (ok) return { isOn: true };
      const { faults } = v.parse(faultsSchema, await read());
      return { isOn: false, reason: faults.find((fault) => fault.name === name)?.unavailable };
    },
  };
}
