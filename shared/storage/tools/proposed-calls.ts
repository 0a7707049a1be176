import { createHash } from 'node:crypto';
import * as v from 'valibot';
import {
  type MessageId,
  messageId,
  type Thread,
  threadSchema,
  type UserId,
  userId,
} from '../../domain/index.ts';
import { ConditionFailedError, type Dynamo, isConditionMet } from '../dynamodb/dynamo.ts';
import { type Item, numberValue } from '../keys/item-keys.ts';
import { callPartition } from './call-partition.ts';
import { removeCallsOfQuestions } from './remove-thread-calls.ts';

/**
 * The state of a call that a person decides about. `running`: claimed by one press of the button. `unknown`: it may have run, and is never repeated.
 */
const CALL_STATES = ['proposed', 'running', 'done', 'failed', 'unknown', 'cancelled'] as const;
export type CallState = (typeof CALL_STATES)[number];

/** A call of a tool that changes something, as a card shows it. */
export type ProposedCall = {
  /** 32 hex digits. */
  readonly id: string;
  readonly thread: Thread;
  /** The person who asked: only they decide. */
  readonly by: UserId;
  readonly server: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly state: CallState;
  /** The interaction that claimed it. */
  readonly claim?: string | undefined;
  readonly card?: MessageId | undefined;
  /** The question in whose answer it was proposed. Undefined in calls of earlier versions. */
  readonly question?: MessageId | undefined;
};

export type ProposedCallsConfig = {
  readonly dynamo: Pick<Dynamo, 'get' | 'put' | 'update' | 'delete' | 'query'>;
  readonly table: string;
  readonly now: () => number;
};

/** How long a card can be decided, and its result is kept (s). */
const RETENTION_SECONDS = 86_400;

const text = v.object({ S: v.string() });
const json = <T>(schema: v.GenericSchema<unknown, T>) =>
  v.pipe(
    text,
    v.transform(({ S }): unknown => JSON.parse(S)),
    schema,
  );
const itemSchema = v.object({
  id: text,
  thread: json(threadSchema),
  by: text,
  server: text,
  tool: text,
  args: json(v.record(v.string(), v.unknown())),
  state: v.object({ S: v.picklist(CALL_STATES) }),
  claim: v.optional(text),
  card: v.optional(text),
  ttl: v.object({ N: v.string() }),
});

const callKey = (place: Pick<Thread, 'platform' | 'workspace'>, id: string) => ({
  pk: callPartition(place),
  sk: { S: `CALL#${id}` },
});

/** Returns the id of a call for the request of a model: the same request has the same id, so that its card is posted once. */
const createCallId = (requestKey: string): string =>
  createHash('sha256').update(requestKey).digest('hex').slice(0, 32);

/** Calls that people decide about. Each write is conditional on the state, so each call is claimed once. */
export class ProposedCalls {
  readonly #config: ProposedCallsConfig;

  constructor(config: ProposedCallsConfig) {
    this.#config = config;
  }

  /** Stores a call, once per request of a model. Resolves with the stored one. */
  async create(requestKey: string, proposed: Omit<ProposedCall, 'id' | 'state'>): Promise<ProposedCall> {
    const { dynamo, table: TableName, now } = this.#config;
    const call = { ...proposed, id: createCallId(requestKey) };
    const { thread, id, by, server, tool, args, question } = call;
    try {
      await dynamo.put({
        TableName,
        Item: {
          ...callKey(thread, id),
          id: { S: id },
          thread: { S: JSON.stringify(thread) },
          by: { S: by },
          server: { S: server },
          tool: { S: tool },
          args: { S: JSON.stringify(args) },
          state: { S: 'proposed' },
          ...(question !== undefined && { question: { S: question } }),
          ttl: numberValue(now() / 1_000 + RETENTION_SECONDS),
        },
        // DynamoDB deletes expired items late.
        ConditionExpression: 'attribute_not_exists(pk) OR #ttl <= :now',
        ExpressionAttributeNames: { '#ttl': 'ttl' },
        ExpressionAttributeValues: { ':now': numberValue(now() / 1_000) },
      });
      return { ...call, state: 'proposed' };
    } catch (error) {
      const stored = error instanceof ConditionFailedError ? await this.find(thread, id) : undefined;
      if (!stored) throw error;
      return stored;
    }
  }

  async find(place: Pick<Thread, 'platform' | 'workspace'>, id: string): Promise<ProposedCall | undefined> {
    const { dynamo, table: TableName, now } = this.#config;
    const { Item } = await dynamo.get({ TableName, Key: callKey(place, id), ConsistentRead: true });
    const { success, output } = v.safeParse(itemSchema, Item);
    return success && Number(output.ttl.N) > now() / 1_000 ? toCall(output) : undefined;
  }

  /** Removes the calls that were proposed in the answer to a deleted question: their arguments can hold its words. Resolves with their cards. Idempotent. */
  removeOfQuestion(thread: Thread, questions: readonly MessageId[]): Promise<readonly MessageId[]> {
    return removeCallsOfQuestions(thread, questions, this.#config);
  }

  /** Notes the message of the card. */
  async noteCard({ thread, id }: Pick<ProposedCall, 'thread' | 'id'>, card: MessageId): Promise<void> {
    await this.#update(thread, id, 'SET card = :card', 'attribute_exists(pk)', { ':card': { S: card } });
  }

  /**
   * Claims a proposed call for one interaction. False if it is no longer proposed: another press, a cancellation, or an earlier delivery of this
   * interaction came first.
   */
  claim({ thread, id }: Pick<ProposedCall, 'thread' | 'id'>, claim: string): Promise<boolean> {
    return this.#isUpdated(thread, id, 'SET #state = :state, claim = :claim', '#state = :before', {
      ':state': { S: 'running' },
      ':before': { S: 'proposed' },
      ':claim': { S: claim },
    });
  }

  /** Records the end of a claimed call. False if the claim is of another interaction. */
  finish(
    { thread, id }: Pick<ProposedCall, 'thread' | 'id'>,
    claim: string,
    state: Extract<CallState, 'done' | 'failed' | 'unknown'>,
  ): Promise<boolean> {
    // Who knows the end may correct `unknown`, never the other way round.
    const condition = state === 'unknown' ? '#state = :running' : '(#state = :running OR #state = :unknown)';
    return this.#isUpdated(thread, id, 'SET #state = :state', `claim = :claim AND ${condition}`, {
      ':state': { S: state },
      ':claim': { S: claim },
      ':running': { S: 'running' },
      ...(state !== 'unknown' && { ':unknown': { S: 'unknown' } }),
    });
  }

  /** Returns a claimed call to the person: it surely did not run. */
  release({ thread, id }: Pick<ProposedCall, 'thread' | 'id'>, claim: string): Promise<boolean> {
    return this.#isUpdated(
      thread,
      id,
      'SET #state = :state REMOVE claim',
      'claim = :claim AND #state = :before',
      { ':state': { S: 'proposed' }, ':before': { S: 'running' }, ':claim': { S: claim } },
    );
  }

  /** Cancels a proposed call. False if it is no longer proposed. */
  cancel({ thread, id }: Pick<ProposedCall, 'thread' | 'id'>): Promise<boolean> {
    return this.#isUpdated(thread, id, 'SET #state = :state', '#state = :before', {
      ':state': { S: 'cancelled' },
      ':before': { S: 'proposed' },
    });
  }

  async #isUpdated(...args: UpdateArguments): Promise<boolean> {
    return isConditionMet(this.#update(...args));
  }

  async #update(...[place, id, update, condition, values]: UpdateArguments): Promise<void> {
    const { dynamo, table: TableName } = this.#config;
    const usesState = `${update} ${condition}`.includes('#state');
    await dynamo.update({
      TableName,
      Key: callKey(place, id),
      UpdateExpression: update,
      ConditionExpression: condition,
      ...(usesState && { ExpressionAttributeNames: { '#state': 'state' } }),
      ExpressionAttributeValues: values,
    });
  }
}

type UpdateArguments = readonly [
  place: Pick<Thread, 'platform' | 'workspace'>,
  id: string,
  update: string,
  condition: string,
  values: Item,
];

function toCall(item: v.InferOutput<typeof itemSchema>): ProposedCall {
  const { id, thread, by, server, tool, args, state, claim, card } = item;
  return {
    id: id.S,
    thread,
    by: userId(by.S),
    server: server.S,
    tool: tool.S,
    args,
    state: state.S,
    claim: claim?.S,
    card: card && messageId(card.S),
  };
}
