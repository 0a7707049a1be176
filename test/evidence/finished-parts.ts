import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import * as v from 'valibot';
import type { EvidenceResult } from './plan.ts';

/** A finished part of a command. `wanted`: how many it was to run. */
export type FinishedPart = EvidenceResult & { readonly part: number; readonly wanted: number };

const finishedPart = v.object({
  name: v.string(),
  part: v.number(),
  wanted: v.number(),
  count: v.optional(v.number()),
  failures: v.number(),
  seconds: v.number(),
});

/** The parts that have finished, in a file with one line of JSON for each: a later run of the same command skips them. */
export class FinishedParts {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  add(finished: FinishedPart): void {
    appendFileSync(this.#path, `${JSON.stringify(finished)}\n`);
  }

  /** Returns the earlier result of a part. One without failures only: a failed part runs again, as may its fix. */
  find(name: string, part: number, wanted: number): FinishedPart | undefined {
    return this.#read().find(
      (one) => one.name === name && one.part === part && one.wanted === wanted && one.failures === 0,
    );
  }

  #read(): FinishedPart[] {
    if (!existsSync(this.#path)) return [];
    return readFileSync(this.#path, 'utf8')
      .split('\n')
      .filter(Boolean)
      .flatMap((line) => {
        const { success, output } = v.safeParse(v.pipe(v.string(), v.parseJson(), finishedPart), line);
        // The last line may be incomplete after an interruption.
        return success ? [{ ...output, count: output.count }] : [];
      });
  }
}
