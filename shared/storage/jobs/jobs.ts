import { type MessageId, type Thread, type Turn, type UserId, threadKey } from '../../domain/index.ts';
import {
  isTerminal,
  type Job,
  type JobId,
  canTransition,
  type JobRequester,
} from '../../video/jobs/index.ts';
import { OPEN_INDEX } from '../../runtime/index.ts';
import { ConditionFailedError } from '../dynamodb/dynamo.ts';
import {
  createJobId,
  createJobItem,
  OPEN_JOBS,
  personPartition,
  jobPointerKey,
  POINTER_RANGE,
  readJob,
  readPointer,
} from './job-item.ts';
import {
  jobKey,
  type Item,
  type Key,
  numberValue,
  createPersonPointer,
  renewPointers,
  turnKey,
} from '../keys/item-keys.ts';
import { compressTurn } from '../dynamodb/turn-compression.ts';

import type { TurnPosition } from '../turns/turns.ts';
import { type TurnsConfig } from '../turns/turn-table.ts';

export { createJobId, hashSecret } from './job-item.ts';

/** A job without the fields that the store adds. */
export type NewJob = Omit<Job, 'id' | 'version' | 'createdAt'>;

/** The maximum number of pages for a list. A page holds about 600 jobs. */
const MAX_PAGES = 4;

/** After every check: 2286. */
const LAST_DUE_MS = 9_999_999_999_000;

/** The condition of a write, in the words of DynamoDB. */
type PutCondition = Omit<Parameters<TurnsConfig['dynamo']['put']>[0], 'TableName' | 'Item'>;

/** All jobs, in the `conversations` table. Each change of a job is one conditional write. */
export class Jobs {
  readonly #config: TurnsConfig;

  constructor(config: TurnsConfig) {
    this.#config = config;
  }

  /**
   * Creates a job, once per request of a person. If it exists, resolves with the existing job, in any state.
   * The thread's pointer is written first, so that erasing the thread finds every job.
   */
  async create(requestKey: string, newJob: NewJob): Promise<Job> {
    const id = createJobId(newJob.by, requestKey);
    const existing = await this.find(id);
    if (existing) return existing;
    const job: Job = { ...newJob, id, version: 1, createdAt: this.#config.now() };
    // The pointer contains the person, so that erasing the person finds it.
    const by = { S: job.by.user };
    const ws = { S: job.by.workspace };
    const ttl = numberValue(this.#expiry());
    await this.#put({ ...jobPointerKey(job), by, ws, ttl });
    await this.#point(job, [job.picture?.origin?.author, ...(job.promptAuthors ?? [])]);
    try {
      // DynamoDB deletes expired items late.
      await this.#put(createJobItem(job, this.#expiry()), {
        ConditionExpression: 'attribute_not_exists(pk) OR #ttl <= :now',
        ExpressionAttributeNames: { '#ttl': 'ttl' },
        ExpressionAttributeValues: { ':now': numberValue(this.#config.now() / 1000) },
      });
      return job;
    } catch (error) {
      const stored = error instanceof ConditionFailedError ? await this.find(id) : undefined;
      if (!stored) throw error;
      return stored;
    }
  }

  /** Returns the job of a person's request, if there is one. */
  findByRequest(by: JobRequester, requestKey: string): Promise<Job | undefined> {
    return this.find(createJobId(by, requestKey));
  }

  /** Returns the current job (consistent read). */
  async find(id: JobId): Promise<Job | undefined> {
    return this.#get(jobKey(id), true);
  }

  /** Returns the job at half the price; may be a second old. */
  async findEventually(id: JobId): Promise<Job | undefined> {
    return this.#get(jobKey(id), false);
  }

  /**
   * Changes a job if it is unchanged since `before`. Rejects with ConditionFailedError if it was changed, and
   * with an error if the transition is not allowed. Resolves with the stored job.
   */
  async save(before: Job, change: Partial<Omit<Job, 'id' | 'version'>>): Promise<Job> {
    const to = change.state ?? before.state;
    if (to !== before.state && !canTransition(before.state, to)) {
      throw new Error(`a job that is ${before.state} cannot become ${to}`);
    }
    // Only a finished job may be scheduled once more.
    const due = to === before.state ? change.due : undefined;
    const terminalChanges = isTerminal(to) ? { due, secretHash: undefined } : {};
    const after: Job = { ...before, ...change, ...terminalChanges, version: before.version + 1 };
    await this.#point(after, change.promptAuthors ?? []);
    try {
      await this.#put(createJobItem(after, this.#expiry()), {
        ConditionExpression: 'v = :v',
        ExpressionAttributeValues: { ':v': numberValue(before.version) },
      });
      return after;
    } catch (error) {
      if (!(error instanceof ConditionFailedError)) throw error;
      const stored = await this.find(before.id);
      // The client may have retried the write and found its own first attempt.
      if (stored && JSON.stringify(stored) === JSON.stringify(readJob(createJobItem(after, 0)))) return after;
      throw error;
    }
  }

  /** Returns a person's jobs, the newest first, at most `limit`. */
  async listByPerson(person: JobRequester, limit: number): Promise<Job[]> {
    const items = await this.#partition(personPartition(person), 'JOB#', 'JOB#~');
    const jobs = items.map(readJob).toSorted((a, b) => b.createdAt - a.createdAt);
    return jobs.slice(0, limit);
  }

  /** Returns all jobs of a thread, in no order. */
  async listByThread(thread: Thread): Promise<Job[]> {
    const items = await this.#partition({ S: threadKey(thread) }, POINTER_RANGE.first, POINTER_RANGE.last);
    const ids = items.map(readPointer).filter((id) => id !== undefined);
    const results = await Promise.all(ids.map((id) => this.find(id)));
    return results.filter((job) => job !== undefined);
  }

  /**
   * Returns the due jobs, the longest due first, at most `limit`. Calls `onUnreadable` for each job that cannot
   * be read, because it must not hide the others.
   */
  async listDue(limit: number, onUnreadable: (id: string) => void = () => undefined): Promise<Job[]> {
    return this.#listDueUntil(this.#config.now(), limit, onUnreadable);
  }

  /** Returns the jobs that are not finished, and finished ones with one more check, at most `limit`. */
  async listOpen(limit: number, onUnreadable: (id: string) => void): Promise<Job[]> {
    return this.#listDueUntil(LAST_DUE_MS, limit, onUnreadable);
  }

  async #listDueUntil(untilMs: number, limit: number, onUnreadable: (id: string) => void): Promise<Job[]> {
    const { Items = [] } = await this.#config.dynamo.query({
      TableName: this.#config.table,
      IndexName: OPEN_INDEX.name,
      KeyConditionExpression: '#open = :why AND due <= :now',
      ExpressionAttributeNames: { '#open': OPEN_INDEX.partition },
      ExpressionAttributeValues: { ':why': { S: OPEN_JOBS }, ':now': numberValue(untilMs / 1000) },
      Limit: limit,
    });
    const keys = Items.flatMap(({ pk, sk }) =>
      pk?.S && sk?.S ? [{ pk: { S: pk.S }, sk: { S: sk.S } }] : [],
    );
    const items = await Promise.all(keys.map((key) => this.#item(key, false)));
    const jobs = items.flatMap((item) => {
      try {
        return item ? [readJob(item)] : [];
      } catch {
        onUnreadable(item?.['pk']?.S ?? '');
        return [];
      }
    });
    return jobs.filter(({ due = Infinity }) => due <= untilMs);
  }

  /** Deletes a job and its pointer. Idempotent. */
  async remove(job: Job): Promise<void> {
    for (const Key of [jobKey(job.id), jobPointerKey(job)]) {
      await this.#config.dynamo.delete({ TableName: this.#config.table, Key });
    }
  }

  /** Adds a video to the history of its thread: one write, and none if this message is a turn already. */
  async saveAsTurn(
    job: Job,
    message: MessageId,
    turn: Omit<Turn, 'message'>,
    position: TurnPosition & { readonly days?: number | undefined },
  ): Promise<void> {
    const item: Item = {
      ...turnKey(job.thread, message),
      id: { S: message },
      by: { S: job.by.user },
      ws: { S: job.by.workspace },
      body: { B: compressTurn(turn) },
      from: { S: position.from },
      n: numberValue(position.number),
      ttl: numberValue(this.#expiry(position.days)),
    };
    const authors = new Set(turn.pictures?.flatMap(({ origin }) => origin?.author ?? []));
    await renewPointers(this.#config, item, [...authors]);
    await this.#put(item, { ConditionExpression: 'attribute_not_exists(pk)' }).catch((error: unknown) => {
      if (!(error instanceof ConditionFailedError)) throw error;
    });
  }

  /** Writes the pointers by which an erasure of these people finds the job. */
  async #point(job: Job, people: readonly (UserId | undefined)[]): Promise<void> {
    const ttl = numberValue(this.#expiry());
    const known = people.filter((user) => user !== undefined);
    await Promise.all(known.map((user) => this.#put(createPersonPointer(jobPointerKey(job), user, ttl))));
  }

  #expiry(days = this.#config.days): number {
    return this.#config.now() / 1000 + days * 24 * 3600;
  }

  async #put(Item: Item, condition: PutCondition = {}): Promise<void> {
    await this.#config.dynamo.put({ TableName: this.#config.table, Item, ...condition });
  }

  async #get(key: Key, consistent: boolean): Promise<Job | undefined> {
    const item = await this.#item(key, consistent);
    return item && readJob(item);
  }

  async #item(key: Key, consistent: boolean): Promise<Item | undefined> {
    const { Item: item } = await this.#config.dynamo.get({
      TableName: this.#config.table,
      Key: key,
      ConsistentRead: consistent,
    });
    return item && this.#isAlive(item) ? item : undefined;
  }

  async #partition(pk: Key['pk'], first: string, last: string): Promise<Item[]> {
    const results: Item[] = [];
    let start: Item | undefined;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const { Items = [], LastEvaluatedKey } = await this.#config.dynamo.query({
        TableName: this.#config.table,
        KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
        ExpressionAttributeValues: { ':pk': pk, ':first': { S: first }, ':last': { S: last } },
        ...(start && { ExclusiveStartKey: start }),
      });
      results.push(...Items.filter((item) => this.#isAlive(item)));
      start = LastEvaluatedKey;
      if (!start) break;
    }
    return results;
  }

  #isAlive({ ttl }: Item): boolean {
    return Number(ttl?.N ?? 0) > this.#config.now() / 1000;
  }
}
