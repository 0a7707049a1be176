import type { Chat, ChatEvent } from '../../shared/flows/index.ts';
import type { PromptMessage } from '../../shared/conversation/index.ts';
import type { SlackCall } from '../../shared/platforms/slack/index.ts';
import { CHAT_LIMIT, type Limit } from '../../shared/limits/index.ts';
import { Buckets, type Dynamo, KeySlots, type TurnsConfig } from '../../shared/store/index.ts';
import { ConnectionError, StreamCutError } from '../../shared/upstream/index.ts';
import type { Random } from './random.ts';
import { Lost, type Process } from './world.ts';

/** What a process reaches outside itself, each call a point at which everything may go wrong. */

export function dynamoIn(process: Process, store: Dynamo): Dynamo {
  return {
    get: (input) => process.effect(`get ${input.TableName}`, () => store.get(input)),
    put: (input) => process.effect(`put ${input.TableName}`, () => store.put(input)),
    update: (input) =>
      process.effect(`update ${input.TableName} ${input.UpdateExpression}`, () => store.update(input)),
    delete: (input) => process.effect(`delete ${input.TableName}`, () => store.delete(input)),
    query: (input) => process.effect(`query ${input.TableName}`, () => store.query(input)),
  };
}

/** The turns' table as a process reaches it. */
export const storeIn = (process: Process, store: Dynamo): TurnsConfig => ({
  dynamo: dynamoIn(process, store),
  table: 'conversations',
  days: 30,
  now: process.time.now,
});

export function slackIn(process: Process, slack: SlackCall): SlackCall {
  return (method, args) => process.effect(method, () => slack(method, args));
}

/** A model that answers each request in its own words, and counts what it was asked. */
export type Model = {
  requests: number;
  /** Comes after the words, a piece at a time. */
  readonly goesOn?: Speech | undefined;
};

/** Pieces of an answer, each so long after the one before (ms). */
export type Speech = { readonly pieces: readonly string[]; readonly everyMs: number };

export function chatIn(process: Process, model: Model): Chat {
  return {
    async *stream(messages, { beforeAttempt, signal }): AsyncGenerator<ChatEvent> {
      await beforeAttempt();
      const words = await asUpstream('', () =>
        process.effect('request', () => {
          model.requests += 1;
          return answerTo(messages, model.requests);
        }),
      );
      let text = '';
      const { pieces = [], everyMs = 0 } = model.goesOn ?? {};
      for (const [n, word] of [...words, ...pieces].entries()) {
        if (n >= words.length) await process.time.sleep(everyMs, signal);
        const piece = await asUpstream(text, () => process.effect('chunk', () => word));
        signal.throwIfAborted();
        text += piece;
        yield { type: 'text', text: piece };
      }
      yield { type: 'end', text, finish: 'stop', model: 'model-a' };
    },
  };
}

function answerTo(messages: readonly PromptMessage[], request: number): string[] {
  const content = messages.at(-1)?.content;
  const question = typeof content === 'string' ? content : '';
  return [`Answer ${request} `, `to ${question.split('\n').at(-1) ?? ''}`];
}

/** A call that fails is, to the flows, a failure of the upstream. */
async function asUpstream<T>(partialText: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof Lost)) throw error;
    throw partialText
      ? new StreamCutError('the stream broke off', { partialText })
      : new ConnectionError('the upstream cannot be reached');
  }
}

/**
 * The slots as a process has them. By the stated rule people are answered at a trickle without the table: such a request
 * has no token, and `trickled` counts it.
 */
export function slotsIn(
  process: Process,
  store: Dynamo,
  random: Random,
  trickled: () => void,
  limit: Limit = CHAT_LIMIT,
): KeySlots {
  const dynamo = dynamoIn(process, store);
  const { now } = process.time;
  return new KeySlots({
    buckets: new Buckets(dynamo, 'tokens', now),
    random,
    family: 'chat',
    limit,
    keys: () => Promise.resolve(['1']),
    now,
    withoutTable: (granted) => granted && trickled(),
  });
}
