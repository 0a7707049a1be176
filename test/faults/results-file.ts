import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import * as v from 'valibot';
import type { Exploration } from './explore.ts';
import type { ShareOptions } from './explore-share.ts';

const finding = v.object({ replay: v.string(), wrong: v.array(v.string()), trace: v.array(v.string()) });

export const resultSchema = v.object({
  story: v.string(),
  seconds: v.number(),
  exploration: v.object({
    runs: v.number(),
    random: v.number(),
    faultless: v.optional(v.number(), 0),
    faults: v.number(),
    findings: v.array(finding),
    levels: v.array(v.object({ all: v.number(), played: v.number() })),
  }),
});

/** The result and the duration of a story. */
export type StoryReport = {
  readonly story: string;
  readonly seconds: number;
  readonly exploration: Exploration;
};

const lineSchema = v.object({
  share: v.object({ schedules: v.number(), depth: v.number(), seed: v.number() }),
  ...resultSchema.entries,
});

/**
 * Stores results in a file, one line per story, so that an interrupted run continues after the last finished story.
 */
export class ResultsFile {
  readonly #path: string | undefined;
  readonly #share: ShareOptions;

  /** Without a path, stores nothing. */
  constructor(path: string | undefined, share: ShareOptions) {
    this.#path = path;
    this.#share = share;
  }

  /** The results of earlier runs with the same options. */
  read(): StoryReport[] {
    if (this.#path === undefined || !existsSync(this.#path)) return [];
    const lines = readFileSync(this.#path, 'utf8').split('\n').filter(Boolean);
    return lines
      .map((line) => v.parse(lineSchema, JSON.parse(line)))
      .filter(({ share }) => JSON.stringify(share) === JSON.stringify(this.#share));
  }

  add(report: StoryReport): void {
    if (this.#path === undefined) return;
    appendFileSync(this.#path, `${JSON.stringify({ share: this.#share, ...report })}\n`);
  }
}
