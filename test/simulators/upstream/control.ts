import * as v from 'valibot';
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

const modelChange = v.partial(
  v.strictObject({
    ready: v.boolean(),
    shutdown: v.strictObject({ date: v.string(), replacement: v.optional(v.string()) }),
    features: v.array(v.string()),
    sampling: v.array(v.string()),
    input: v.array(v.string()),
    context: v.pipe(v.number(), v.integer()),
    maxOutput: v.pipe(v.number(), v.integer()),
    budget: v.pipe(v.number(), v.integer()),
    maxImages: v.pipe(v.number(), v.integer()),
    jsonObject: v.boolean(),
  }),
);
export type ModelChange = v.InferOutput<typeof modelChange>;

const keyChange = v.strictObject({
  key: v.pipe(v.string(), v.minLength(1)),
  user: v.optional(v.string(), 'local'),
  status: v.optional(v.picklist(['active', 'revoked']), 'active'),
  models: v.optional(v.array(v.string())),
});
export type KeyChange = v.InferInput<typeof keyChange>;

const whole = v.nullable(v.pipe(v.number(), v.integer()));
const amount = v.nullable(v.number());
const text = v.nullable(v.string());
const address = v.nullable(v.pipe(v.string(), v.url()));

/** VideoMetadata of the document: each field may be null or missing. */
const videoMetadata = v.partial(
  v.strictObject({
    width: whole,
    height: whole,
    avg_fps: amount,
    video_name: text,
    title: text,
    video_start_timestamp_utc_ms: whole,
    duration: amount,
    thumbnail: address,
    thumbnails: address,
    description: text,
    source: text,
  }),
);

const videoChange = v.strictObject({
  id: v.string(),
  metadata: v.optional(v.nullable(videoMetadata), null),
  indexing: v.optional(
    v.nullable(v.picklist(['pending', 'indexing', 'indexed', 'failed', 'by-clock'])),
    null,
  ),
  indexingType: v.optional(v.nullable(v.picklist(['fast_search', 'qa_and_search', 'qa', 'reels'])), null),
  groupId: v.optional(v.nullable(v.string()), null),
});
export type VideoChange = v.InferInput<typeof videoChange>;

/** The operations of a test, or of a person at `/__sim`, on the simulator. */
export type Control = {
  /** Injects a fault; returns the name for its removal. */
  addFault(rule: FaultRule): string;
  /** The next `times` chat completions fail in this way. */
  fail(fault: Fault, times?: number): string;
  removeFault(name: string): boolean;
  faults(): ReturnType<UpstreamCore['state']['rules']['list']>;
  clearFaults(): void;
  setKey(key: KeyChange): Key;
  setModel(id: string, change: ModelChange): Model;
  change(change: SettingsChange): Settings;
  settings(): Settings;
  /** Advances the simulator's clock: buckets fill, windows roll, videos complete. */
  advance(ms: number): number;
  now(): number;
  journal(): readonly Entry[];
  clearJournal(): void;
  metered(): readonly Metered[];
  /** Stores a video. */
  addVideo(video: VideoChange): StoredVideo;
  /** Makes a job fail at its end, or end now. */
  setJob(id: string, change: { failure?: string | undefined; endNow?: boolean | undefined }): void;
  jobs(): { id: string; status: JobStatus; input: JsonObject }[];
  deliveries(): readonly Delivery[];
};

/** `moved` is called when the clock or a job was changed. */
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
      const key = v.parse(keyChange, change);
      state().keys.set(key.key, key);
      return key;
    },
    setModel(id, change) {
      const model = state().models.get(id);
      if (model === undefined) throw new RangeError(`There is no model ${id}.`);
      const changed: Model = Object.assign({ ...model }, v.parse(modelChange, change));
      state().models.set(id, changed);
      return changed;
    },
    change(change) {
      const changedSettings = v.parse(settingsChange, change);
      state().settings = v.parse(settings, { ...state().settings, ...changedSettings });
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
      const video = v.parse(videoChange, change);
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
