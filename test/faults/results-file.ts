import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import * as v from 'valibot';
import type { Exploration } from './explore.ts';
import type { ShareOptions } from './explore-share.ts';

const finding = v.object({ replay: v.string(), wrong: v.array(v.string()), trace: v.array(v.string()) });

const share = v.object({ schedules: v.number(), depth: v.number(), seed: v.number() });

export const taskSchema = v.object({ story: v.string(), share });

/** The schedules of a story that are to run. */
export type Task = { readonly story: string; readonly share: ShareOptions };

export const resultSchema = v.object({
  ...taskSchema.entries,
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
export type StoryReport = Task & {
  readonly seconds: number;
  readonly exploration: Exploration;
};

/**
 * Stores results in a file, one line per story, so that an interrupted run continues after the last finished story.
 */
export class ResultsFile {
  readonly #path: string | undefined;

  /** Without a path, stores nothing. */
  constructor(path: string | undefined) {
    this.#path = path;
  }

  /** The results that earlier runs stored of these tasks, with the same options. */
  read(tasks: readonly Task[]): StoryReport[] {
    if (this.#path === undefined || !existsSync(this.#path)) return [];
    const lines = readFileSync(this.#path, 'utf8').split('\n').filter(Boolean);
    const reports = lines.map((line) => v.parse(resultSchema, JSON.parse(line)));
    return tasks.flatMap((task) => reports.find((report) => isSameTask(report, task)) ?? []);
  }

  add(report: StoryReport): void {
    if (this.#path !== undefined) appendFileSync(this.#path, `${JSON.stringify(report)}\n`);
  }
}

const isSameTask = (one: Task, other: Task): boolean =>
  one.story === other.story &&
  one.share.schedules === other.share.schedules &&
  one.share.depth === other.share.depth &&
  one.share.seed === other.share.seed;
