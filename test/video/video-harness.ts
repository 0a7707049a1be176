import { type ProcessContext, toTaskContext, type WorkerContext } from '../../shared/worker/dispatch-task.ts';
import { EMPTY_QUEUE } from '../fakes/empty-queue.ts';
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Card, MessageId, Thread, VideoTask } from '../../shared/domain/index.ts';
import { messageId, parseTask } from '../../shared/domain/index.ts';
import { type Videos, DEFAULTS } from '../../shared/ports/index.ts';
import { streamsOnly } from '../fakes/streams-only.ts';
import { advanceJob } from '../../shared/video/advance-job.ts';
import { requeueStuckTasks } from '../../shared/worker/requeue-stuck-tasks.ts';
import type { Upload } from '../../shared/platforms/ports/index.ts';
import type { ObjectStore } from '../../shared/aws/s3.ts';
import {
  type Dynamo,
  Jobs,
  TurnSignals,
  findTargetMessage,
  hashSecret,
  Turns,
} from '../../shared/storage/index.ts';
import type { JobHandle, JobStatus, ListedJob } from '../../shared/upstream/index.ts';
import { detectVideoType, type MediaModel } from '../../shared/video/jobs/index.ts';
import { createMemoryDynamo } from '../fakes/dynamo.ts';
import { unlimitedBudget } from '../../shared/billing/unlimited-budget.ts';
import { bareContext } from '../fakes/bare-context.ts';
import { settingsStoresIn } from '../fakes/settings-stores.ts';
import { PICTURES } from '../image-files/pictures.ts';
import { bytesOf, VIDEO_FILE, inParts } from './video-file.ts';
import { MODEL, person as BY } from './video-request.ts';
import { FakeMessenger } from '../fakes/messenger.ts';
import { UNLIMITED_PERMITS } from '../fakes/permits.ts';
import { fakePlatform } from '../chat/completion-harness.ts';
import { messengerWith } from './messenger-with.ts';

export { videoRequest, person, PICTURE, thread } from './video-request.ts';
/** The current process; code outside of one does not die. One for all contexts, since each AsyncLocalStorage costs time. */
const PROCESS = new AsyncLocalStorage<{ alive: boolean }>();

/** The process has crashed. */
export class CrashError extends Error {}
/** The effect, counted from 1, at which the process dies: before or after it. */
export type Plan = ReadonlyMap<number, 'before' | 'after'>;

type Made = {
  readonly handle: JobHandle;
  readonly webhookUrl: string;
  readonly request: string;
  looks: number;
  cancelled: boolean;
};

/**
 * A context for videos: table, queue, bucket, messenger and service in memory, each of whose calls is an effect at
 * which the process may die. `statuses` are the service's responses to polls; the last one repeats.
 */
export class VideoHarness {
  now = 1_700_000_000_000;
  effects = 0;
  plan: Plan = new Map();
  readonly names: string[] = [];
  readonly memory: Dynamo = createMemoryDynamo();
  readonly queue: { body: string; group: string; dedup: string }[] = [];
  readonly logged: { event: string; facts: Readonly<Record<string, unknown>> | undefined }[] = [];
  readonly madeVideos = new Map<string, Made>();
  readonly files = new Map<string, Buffer>();
  readonly stage = new FakeMessenger();
  readonly uploads = new Map<string, Buffer>();
  submits = 0;
  budgets: WorkerContext['budgets'] = unlimitedBudget;
  videoPermits: WorkerContext['videoPermits'] = UNLIMITED_PERMITS;
  layers: WorkerContext['settings']['layers'] = {};
  rejectKey: Videos['rejectKey'] = () => Promise.resolve(false);
  fetch: Videos['fetch'] = () =>
    Promise.resolve({ bytes: this.film.length, mimetype: 'video/mp4', content: inParts(this.film) });
  statuses: JobStatus[] = [{ state: 'done', status: 'COMPLETED' }];
  result: unknown = { output: { video: { url: 'https://files.example.com/v.mp4' } } };
  film: Buffer = VIDEO_FILE;
  listed: ListedJob[] = [];
  models: readonly MediaModel[] = [MODEL];
  library: Videos['library'] = [];
  submitFails: (() => Error | undefined) | undefined;
  fate: () => 'before' | 'after' | undefined = () => undefined;
  readonly #sent = new Map<string, number>();

  calls: (<T>(name: string, run: () => T | Promise<T>) => Promise<T>) | undefined;

  effect = async <T>(name: string, run: () => T | Promise<T>): Promise<T> => {
    if (this.calls) return this.calls(name, run);
    const process = PROCESS.getStore();
    if (process?.alive === false) throw new CrashError('dead');
    this.effects += 1;
    this.names[this.effects] = name;
    const fate = process && (this.plan.get(this.effects) ?? this.fate());
    const die = (): never => {
      if (process) process.alive = false;
      throw new CrashError('here');
    };
    if (fate === 'before') die();
    const result = await run();
    return fate === 'after' ? die() : result;
  };

  /** Runs external events, which do not kill a process. */
  readonly outside = <T>(run: () => T): T => PROCESS.exit(run);

  get dynamo(): Dynamo {
    const { memory } = this;
    return {
      get: (input) => memory.get(input),
      query: (input) => memory.query(input),
      put: (input) => this.effect('put', () => memory.put(input)),
      update: (input) => this.effect('update', () => memory.update(input)),
      delete: (input) => this.effect('delete', () => memory.delete(input)),
    };
  }

  readonly send = (body: string, group: string, dedup: string): Promise<void> =>
    this.effect('send', () => {
      const before = this.#sent.get(dedup);
      if (before !== undefined && this.now - before < 300_000) return;
      this.#sent.set(dedup, this.now);
      this.queue.push({ body, group, dedup });
    });

  vision: ReturnType<Videos['vision']> = {
    submit: ({ model, input, webhookUrl = '', idempotencyKey = '' }) =>
      this.effect('submit', () => {
        this.submits += 1;
        const failure = this.submitFails?.();
        if (failure) throw failure;
        const request = JSON.stringify([model, input, webhookUrl]);
        const entry = this.madeVideos.get(idempotencyKey);
        if (entry) return entry.handle;
        const id = `r-${this.madeVideos.size + 1}`;
        const at = `https://vision.example.com/${id}`;
        const handle = {
          requestId: id,
          status: 'IN_QUEUE',
          statusUrl: `${at}/status`,
          responseUrl: at,
          cancelUrl: `${at}/cancel`,
        };
        this.madeVideos.set(idempotencyKey, { handle, webhookUrl, request, looks: 0, cancelled: false });
        return handle;
      }),
    status: (handle) =>
      this.effect('status', () => {
        const entry = this.#of(handle);
        if (entry.cancelled) return { state: 'cancelled', status: 'CANCELLED' } as const;
        entry.looks += 1;
        return (
          this.statuses[Math.min(entry.looks, this.statuses.length) - 1] ?? { state: 'unknown', status: '' }
        );
      }),
    result: () =>
      this.effect('result', () => ({ state: 'done', status: 'COMPLETED', value: this.result }) as const),
    cancel: (handle) =>
      this.effect('cancel', () => {
        this.#of(handle).cancelled = true;
        return { state: 'cancelled', status: 'CANCELLED' } as const;
      }),
    list: () => Promise.resolve(this.listed),
    video: () => Promise.reject(new Error('no videos here')),
    call: () => Promise.resolve({}),
  };

  readonly media: ObjectStore = {
    presignedUrl: (key, ...args) => `https://bucket.example.com/${key}?${args.join('&')}`,
    put: (key, file) =>
      this.effect('store', async () => void this.files.set(key, await bytesOf(file.content))),
    get: async (key) => {
      const file = this.files.get(key);
      return file && { bytes: file.length, mimetype: detectVideoType(file) ?? '', content: inParts(file) };
    },
    remove: (key) => this.effect('remove', () => void this.files.delete(key)),
  };

  context(): WorkerContext & { readonly videos: Videos } {
    const time = { now: () => this.now, sleep: async (ms: number) => void (this.now += ms) };
    const store = { dynamo: this.dynamo, table: 'conversations', days: 30, now: time.now };
    const card = (where: Thread, content: Card, key: string, existing?: MessageId) =>
      this.effect('card', () => this.stage.postCard(where, content, key, existing));
    const upload = (where: Thread, file: Upload, key: string) =>
      this.effect('upload', async () => {
        const message = await this.stage.upload(where, file, key);
        // A message that is found by its key is not posted again.
        if (!this.uploads.has(key)) this.uploads.set(key, await bytesOf(file.content));
        return messageId(`1700009000.${message.slice(-6).replaceAll(/\D/gu, '0')}`);
      });
    const process = {
      ...bareContext(store),
      turns: new Turns(store),
      signals: new TurnSignals(store),
      platform: fakePlatform({ F1: Buffer.from(PICTURES.png, 'base64'), F2: Buffer.from('no picture') }),
      messenger: messengerWith(this.stage, { postCard: card, upload }),
      queue: { send: this.send },
      showMessage: EMPTY_QUEUE,
      chat: { ...streamsOnly, stream: () => (async function* () {})() },
      permits: UNLIMITED_PERMITS,
      budgets: this.budgets,
      videoPermits: this.videoPermits,
      time,
      settings: { ...DEFAULTS, layers: this.layers },
      ...settingsStoresIn(store),
      log: (event, facts) => void this.logged.push({ event, facts }),
      videos: {
        enabled: true as const,
        jobs: new Jobs(store),
        vision: () => this.vision,
        keyOf: () => Promise.resolve(undefined),
        rejectKey: this.rejectKey,
        media: this.media,
        fetch: this.fetch,
        models: () => Promise.resolve(this.models),
        animates: true,
        library: this.library,
        pictureAs: 'url' as const,
        days: 30,
        secretOf: (id) => Promise.resolve(id.padEnd(43, '_')), // As long as a real one.
        hashOf: hashSecret,
        callbackAddress: (id, secret) => `https://bot.example.com/callbacks/video/${id}/${secret}`,
        findTargetMessage: (call, place) => findTargetMessage({ ...store, dynamo: this.memory }, call, place),
        submissionKey: (_, requestKey) => `key-${requestKey}`,
      },
    } satisfies ProcessContext;
    return { ...toTaskContext(process), videos: process.videos };
  }

  jobs(): ReturnType<Jobs['listByPerson']> {
    const table = 'conversations';
    return new Jobs({ dynamo: this.memory, table, days: 30, now: () => this.now }).listByPerson(BY, 9);
  }

  #of(handle: JobHandle): Made {
    const entry = [...this.madeVideos.values()].find((one) => one.handle.requestId === handle.requestId);
    if (!entry) throw new Error('no such job');
    return entry;
  }

  /** Runs a process; tests of other faults replace it. Resolves with whether it completed. */
  runs: ((work: () => Promise<unknown>) => Promise<boolean>) | undefined;

  /** Runs `work` as a process of its own. Resolves with whether it completed. */
  async process(work: (context: ReturnType<VideoHarness['context']>) => Promise<unknown>): Promise<boolean> {
    if (this.runs) return this.runs(() => work(this.context()));
    const process = { alive: true };
    try {
      await PROCESS.run(process, () => work(this.context()));
      return true;
    } catch (error) {
      if (error instanceof CrashError || !process.alive) return false;
      throw error;
    }
  }

  /** Works until the queue is empty, with this many workers, each group in order. */
  async serve(workers = 1): Promise<void> {
    while (this.queue.length > 0) {
      const groups = new Set<string>();
      const batch: VideoHarness['queue'] = [];
      for (const task of this.queue) {
        if (batch.length < workers && !groups.has(task.group)) batch.push(task);
        groups.add(task.group);
      }
      const received = new Set(batch);
      this.queue.splice(0, this.queue.length, ...this.queue.filter((task) => !received.has(task)));
      await Promise.all(batch.map(({ body }) => this.#delivered(body)));
    }
  }

  /** A task whose process died is redelivered, 5 times in all. */
  async #delivered(body: string): Promise<void> {
    const task = parseTask(body);
    if (task?.kind !== 'video') throw new Error('no task of a video');
    for (let tries = 0; tries < 5 && !(await this.#try(task)); tries += 1) this.now += 70_000;
  }

  #try(task: VideoTask): Promise<boolean> {
    return this.process(async (context) => {
      const verdict = await advanceJob(task, context);
      if (verdict.kind === 'later') throw new CrashError('later');
    });
  }

  /** The sweeper's check of due jobs. Resolves with whether it completed. */
  sweep(): Promise<boolean> {
    return this.process(async ({ turns, videos: { jobs }, queue, time: { now } }) => {
      const due = { turns, jobs, schedules: { listDue: () => Promise.resolve([]) }, log: () => undefined };
      await requeueStuckTasks({ ...due, queue, transcriptionQueue: queue, now });
    });
  }

  /** Advances time, with a sweep each minute, until `minutes` have passed or no job is open. */
  async pass(minutes: number, workers = 1): Promise<void> {
    for (let minute = 0; minute < minutes; minute += 1) {
      await this.serve(workers);
      this.now += 60_000;
      if (await this.sweep()) await this.serve(workers);
    }
  }
}
