import type { AnswerObject } from './answer-object.ts';

/** An event of a stream. */
export type AnswerEvent =
  | {
      readonly name: 'answer.created' | 'answer.completed' | 'answer.failed' | 'answer.pending';
      readonly data: AnswerObject;
    }
  /** More words. */
  | { readonly name: 'answer.delta'; readonly data: { readonly id: string; readonly delta: string } }
  /** The words so far changed: these replace all of them. */
  | { readonly name: 'answer.replaced'; readonly data: { readonly id: string; readonly answer: string } };

/**
 * Turns the states of a request into events: what changed of the words since the last one. `answer.pending` ends a stream before its answer: the
 * integration reads on with `GET`.
 */
export class AnswerEvents {
  #text = '';
  #hasBegun = false;

  next(state: AnswerObject): readonly AnswerEvent[] {
    const begin = this.#hasBegun
      ? []
      : [{ name: 'answer.created' as const, data: { ...state, status: 'queued' as const, answer: null } }];
    this.#hasBegun = true;
    return [...begin, ...this.#words(state), ...createEndEvent(state)];
  }

  #words({ id, answer }: AnswerObject): readonly AnswerEvent[] {
    const text = answer ?? '';
    const before = this.#text;
    if (text === before || answer === null) return [];
    this.#text = text;
    return text.startsWith(before)
      ? [{ name: 'answer.delta', data: { id, delta: text.slice(before.length) } }]
      : [{ name: 'answer.replaced', data: { id, answer: text } }];
  }
}

function createEndEvent(data: AnswerObject): readonly AnswerEvent[] {
  if (data.status === 'completed') return [{ name: 'answer.completed', data }];
  return data.status === 'failed' ? [{ name: 'answer.failed', data }] : [];
}

/** Formats an event for `text/event-stream`. */
export const formatEvent = ({ name, data }: AnswerEvent): string =>
  `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
