import * as v from 'valibot';
import type { UpstreamSimulator } from '../simulators/upstream/index.ts';

const request = v.object({
  messages: v.array(v.object({ role: v.string(), content: v.optional(v.unknown()) })),
});

/**
 * Counts model requests by the markers of the questions. A question whose answer is stored is never sent again; one
 * whose worker was killed between the response and the storage is sent once more.
 */
export class Payments {
  readonly #upstream: Pick<UpstreamSimulator, 'journal'>;
  /** The markers of finished rounds. */
  readonly #over = new Set<string>();
  #seen = 0;
  #answers = 0;
  #again = 0;

  constructor(upstream: Pick<UpstreamSimulator, 'journal'>) {
    this.#upstream = upstream;
  }

  /**
   * The questions that were paid too often since the last call, in a round with this many kills of workers. `regenerated`: how often people clicked
   * Regenerate, by markers. `open`: the markers of questions that may still be asked.
   */
  wrongIn(
    kills: number,
    regenerated: ReadonlyMap<string, number> = new Map(),
    open: ReadonlySet<string> = new Set(),
  ): string[] {
    const requests = new Map<string, number>();
    const entries = this.#upstream.journal.filter(({ n }) => n > this.#seen);
    this.#seen = entries.at(-1)?.n ?? this.#seen;
    const wrong: string[] = [];
    for (const { body, ended } of entries) {
      for (const mark of marksIn(body)) {
        if (this.#over.has(mark)) wrong.push(`${mark} is asked though its round is over`);
        if (ended === 'whole') requests.set(mark, (requests.get(mark) ?? 0) + 1);
      }
    }
    for (const [mark, times] of requests) {
      const clicks = regenerated.get(mark) ?? 0;
      this.#answers += times;
      this.#again += Math.max(0, times - 1 - clicks);
      if (times > 1 + clicks + kills)
        wrong.push(`${mark} is answered ${times} times by the models, with ${kills} kills`);
    }
    for (const { body } of entries)
      for (const mark of marksIn(body)) if (!open.has(mark)) this.#over.add(mark);
    return wrong;
  }

  counts(): { readonly answers: number; readonly answeredAgain: number } {
    return { answers: this.#answers, answeredAgain: this.#again };
  }
}

/** How many complete answers the models have given to the question with this marker. */
export const countAnswers = ({ journal }: Pick<UpstreamSimulator, 'journal'>, mark: string): number =>
  journal.filter(({ body, ended }) => ended === 'whole' && marksIn(body).includes(mark)).length;

/** The markers in the last message of a person. */
function marksIn(body: unknown): string[] {
  const last = v
    .parse(v.fallback(v.optional(request), undefined), body)
    ?.messages.findLast(({ role }) => role === 'user');
  return [...JSON.stringify(last?.content ?? '').matchAll(/begin-(k\w+)\./gu)].map(([, mark = '']) => mark);
}
