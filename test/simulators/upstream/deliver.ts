import type { State } from './state.ts';
import type { Sleep } from './play-steps.ts';
import { attempted, due, nextDue } from './vision/webhooks.ts';

/** Posts a webhook; returns the response status, or 0. */
export type Post = (url: string, body: string) => Promise<number>;

const DEADLINE_MS = 10_000;

/** Posts over the network with a deadline. Redirects are not followed. */
export const postWebhook: Post = async (url, body) => {
  try {
    const headers = { 'content-type': 'application/json' };
    const signal = AbortSignal.timeout(DEADLINE_MS);
    const answer = await fetch(url, { method: 'POST', body, headers, redirect: 'manual', signal });
    await answer.body?.cancel();
    return answer.status;
  } catch {
    return 0;
  }
};

/** Sends every due webhook. Resolves when all have a response. */
export async function deliverDue(state: State, post: Post): Promise<void> {
  const ripe = due(state);
  await Promise.all(ripe.map(async (one) => attempted(state, one, await post(one.url, one.body))));
}

export type Courier = {
  /** A webhook may be due, or due earlier. */
  poke(): void;
  /** Sends due webhooks now. */
  flush(): Promise<void>;
  stop(): void;
};

/** Sends webhooks at their time. With `sleep` undefined the clock stands still, and only a call sends due ones. */
export function createCourier(state: () => State, sleep: Sleep | undefined, post: Post): Courier {
  let asleep = new AbortController();
  const ended = new AbortController();
  let running = false;
  let current = Promise.resolve();
  const flush = async (): Promise<void> => {
    const before = current;
    current = before.then(async () => deliverDue(state(), post));
    await current;
  };
  const run = async (rest: Sleep): Promise<void> => {
    running = true;
    for (let wait = nextDue(state()); wait !== undefined && !ended.signal.aborted; wait = nextDue(state())) {
      asleep = new AbortController();
      if (wait > 0) await rest(wait, asleep.signal).catch(() => undefined);
      if (!ended.signal.aborted) await flush();
    }
    running = false;
  };
  return {
    flush,
    poke() {
      asleep.abort();
      if (sleep === undefined) void flush();
      else if (!running && !ended.signal.aborted) void run(sleep);
    },
    stop() {
      ended.abort();
      asleep.abort();
    },
  };
}
