import * as z from 'zod/mini';
import type { UpstreamCore } from './core.ts';
import type { Entry } from './journal.ts';
import type { Key } from './keys.ts';
import type { Model } from './models.ts';
import { settings, settingsChange } from './settings.ts';
import type { Settings, SettingsChange } from './settings.ts';
import type { JsonObject } from './json.ts';
import type { Metered } from './state.ts';
import { statusOf } from './vision/jobs.ts';
import type { Delivery, JobStatus, StoredVideo } from './vision/types.ts';
import { hasten } from './vision/webhooks.ts';
import type { Fault, FaultRule } from './stream/faults.ts';

const modelChange = z.partial(
  z.strictObject({
    ready: z.boolean(),
    features: z.array(z.string()),
    sampling: z.array(z.string()),
    input: z.array(z.string()),
    context: z.int(),
    maxOutput: z.int(),
    budget: z.int(),
    maxImages: z.int(),
    jsonObject: z.boolean(),
  }),
);
export type ModelChange = z.infer<typeof modelChange>;

const keyChange = z.strictObject({
  key: z.string().check(z.minLength(1)),
  user: z._default(z.string(), 'local'),
  status: z._default(z.enum(['active', 'revoked']), 'active'),
  models: z.optional(z.array(z.string())),
});
export type KeyChange = z.input<typeof keyChange>;

const videoChange = z.strictObject({
  id: z.string(),
  metadata: z._default(z.nullable(z.record(z.string(), z.unknown())), null),
  indexing: z._default(z.nullable(z.enum(['pending', 'indexing', 'indexed', 'failed', 'by-clock'])), null),
  indexingType: z._default(z.nullable(z.enum(['fast_search', 'qa_and_search', 'qa', 'reels'])), null),
  groupId: z._default(z.nullable(z.string()), null),
});
export type VideoChange = z.input<typeof videoChange>;

/** What a test, or a person at `/__sim`, may do to the simulator. */
export type Control = {
  /** Sets a fault; answers the name to take it away by. */
  addFault(rule: FaultRule): string;
  /** The next `times` chat completions fail so. */
  fail(fault: Fault, times?: number): string;
  removeFault(name: string): boolean;
  faults(): ReturnType<UpstreamCore['state']['rules']['list']>;
  clearFaults(): void;
  setKey(key: KeyChange): Key;
  setModel(id: string, change: ModelChange): Model;
  change(change: SettingsChange): Settings;
  settings(): Settings;
  /** Moves the simulator's clock on: buckets fill, windows roll, videos get done. */
  advance(ms: number): number;
  now(): number;
  journal(): readonly Entry[];
  clearJournal(): void;
  metered(): readonly Metered[];
  /** Puts a video in the store. */
  addVideo(video: VideoChange): StoredVideo;
  /** Makes a job fail at its end, or end now. */
  setJob(id: string, change: { failure?: string | undefined; endNow?: boolean | undefined }): void;
  jobs(): { id: string; status: JobStatus; input: JsonObject }[];
  deliveries(): readonly Delivery[];
};

/** `moved` is called when the clock, or a job, was moved. */
export function createControl(core: () => UpstreamCore, moved: () => void = () => undefined): Control {
  const state = () => core().state;
  const addFault = (rule: FaultRule): string => state().rules.add(rule);
  return {
    addFault,
    fail: (fault, times = 1) => addFault({ fault, times }),
    removeFault: (name) => state().rules.remove(name),
    faults: () => state().rules.list(),
    clearFaults: () => state().rules.clear(),
    setKey(change) {
      const key = keyChange.parse(change);
      state().keys.set(key.key, key);
      return key;
    },
    setModel(id, change) {
      const known = state().models.get(id);
      if (known === undefined) throw new RangeError(`There is no model ${id}.`);
      const changed: Model = Object.assign({ ...known }, modelChange.parse(change));
      state().models.set(id, changed);
      return changed;
    },
    change(change) {
      const wanted = settingsChange.parse(change);
      state().settings = settings.parse({ ...state().settings, ...wanted });
      return state().settings;
    },
    settings: () => state().settings,
    advance(ms) {
      state().advance(ms);
      moved();
      return state().now();
    },
    now: () => state().now(),
    journal: () => state().journal.entries,
    clearJournal: () => state().journal.clear(),
    metered: () => state().metered,
    addVideo(change) {
      const video = videoChange.parse(change);
      const stored = { ...video, storedAt: state().now(), origin: 'http://simulator.invalid' };
      state().videos.set(video.id, stored);
      return stored;
    },
    setJob(id, { failure, endNow = false }) {
      const job = state().jobs.get(id);
      if (job === undefined) throw new RangeError(`There is no job ${id}.`);
      const endsAt = endNow ? Math.min(job.endsAt, state().now()) : job.endsAt;
      const changed = {
        ...job,
        failure: failure ?? job.failure,
        startsAt: Math.min(job.startsAt, endsAt),
        endsAt,
      };
      state().jobs.set(id, changed);
      if (endNow) hasten(state(), changed);
      moved();
    },
    jobs: () =>
      [...state().jobs.values()].map((job) => ({
        id: job.id,
        status: statusOf(job, state().now()),
        input: job.input,
      })),
    deliveries: () => state().deliveries,
  };
}
