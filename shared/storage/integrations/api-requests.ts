import * as v from 'valibot';
import {
  channelId,
  type ChannelId,
  type IntegrationPlace,
  integrationUser,
  messageId,
  type MessageId,
  type Thread,
} from '../../domain/index.ts';
import { type Dynamo, isConditionMet } from '../dynamodb/dynamo.ts';
import { type Item, numberValue } from '../keys/item-keys.ts';

/** A request that an integration sent to the API. Its question and its answer are in its turn. */
export type ApiRequest = {
  readonly id: string;
  /** The id of the integration. */
  readonly integration: string;
  /** A hash of what was asked: the same idempotency key with another one is refused. */
  readonly bodyHash: string;
  /** When it was received (ms since 1970). */
  readonly at: number;
  readonly channel: ChannelId;
  /** The turn, once it is known. In a channel of a platform that is when the question was posted there. */
  readonly turn?: { readonly root: MessageId; readonly message: MessageId } | undefined;
  /** Why there will be no turn. */
  readonly failure?: ApiRequestFailure | undefined;
  /** With a failure: the text that says why the asker was refused, if it was. */
  readonly refusal?: string | undefined;
};

/** Why a question could not be posted in its channel, or why the asker was refused. */
const REQUEST_FAILURES = ['channel_not_allowed', 'channel_unavailable', 'unavailable'] as const;
export type ApiRequestFailure = (typeof REQUEST_FAILURES)[number];

export type ApiRequestsConfig = {
  readonly dynamo: Pick<Dynamo, 'get' | 'put' | 'update'>;
  readonly table: string;
  /** ms since 1970. */
  readonly now: () => number;
};

/** How long a request can be read, and is found by its idempotency key. */
const API_REQUEST_HOURS = 24;

const text = v.object({ S: v.string() });
/**
 * A request in the `conversations` table.
 *
 *    pk    API# platform # workspace # integration     sk    its id
 *    by    the asker: the integration as a person      body  a hash of what was asked
 *    at    when it was received (ms)                   channel,root,msg  its turn
 *    failed  why it has none                           refused  the text for a refused asker
 *    ttl   when it expires (s)
 *
 * Beside it, `sk` = TURN# channel # message leads from its turn to `request`, its id.
 */
const itemSchema = v.object({
  sk: text,
  body: text,
  at: v.object({ N: v.string() }),
  channel: text,
  root: v.optional(text),
  msg: v.optional(text),
  failed: v.optional(v.object({ S: v.picklist(REQUEST_FAILURES) })),
  refused: v.optional(text),
  ttl: v.object({ N: v.string() }),
});

const requestKey = ({ platform, workspace }: IntegrationPlace, integration: string, id: string) => ({
  pk: { S: `API#${platform}#${workspace}#${integration}` },
  sk: { S: id },
});

type TurnPlace = { readonly channel: ChannelId; readonly message: MessageId };

/** People rate answers later than programs read them. */
const LINK_DAYS = 30;
const turnLinkKey = ({ channel, message }: TurnPlace): string => `TURN#${channel}#${message}`;

/** The requests of integrations. All methods reject if the table is unavailable. */
export class ApiRequests {
  readonly #config: ApiRequestsConfig;

  constructor(config: ApiRequestsConfig) {
    this.#config = config;
  }

  /** Stores a request, once. Resolves with the one of that id that was stored before, if any. */
  async create(place: IntegrationPlace, request: ApiRequest): Promise<ApiRequest | undefined> {
    const { dynamo, table: TableName, now } = this.#config;
    const { id, integration, bodyHash, at, channel, turn } = request;
    const seconds = now() / 1_000;
    const isNew = await isConditionMet(
      dynamo.put({
        TableName,
        Item: {
          ...requestKey(place, integration, id),
          by: { S: integrationUser({ id: integration }) },
          body: { S: bodyHash },
          at: numberValue(at),
          channel: { S: channel },
          ...(turn && { root: { S: turn.root }, msg: { S: turn.message } }),
          ttl: numberValue(seconds + API_REQUEST_HOURS * 3_600),
        },
        // DynamoDB deletes expired items late.
        ConditionExpression: 'attribute_not_exists(pk) OR #ttl <= :now',
        ExpressionAttributeNames: { '#ttl': 'ttl' },
        ExpressionAttributeValues: { ':now': numberValue(seconds) },
      }),
    );
    return isNew ? undefined : this.find(place, integration, id);
  }

  /** Returns a request of an integration; undefined if it is unknown or expired. */
  async find(place: IntegrationPlace, integration: string, id: string): Promise<ApiRequest | undefined> {
    const { dynamo, table: TableName, now } = this.#config;
    const Key = requestKey(place, integration, id);
    const { Item } = await dynamo.get({ TableName, Key, ConsistentRead: true });
    if (!Item) return undefined;
    const { sk, body, at, channel, root, msg, failed, refused, ttl } = v.parse(itemSchema, Item);
    if (Number(ttl.N) * 1_000 <= now()) return undefined;
    return {
      id: sk.S,
      integration,
      bodyHash: body.S,
      at: Number(at.N),
      channel: channelId(channel.S),
      turn: root && msg && { root: messageId(root.S), message: messageId(msg.S) },
      failure: failed?.S,
      refusal: refused?.S,
    };
  }

  /** Stores the turn of a request. Nothing is stored if the request is gone, for example erased, or was marked as failed. */
  async attach(
    place: IntegrationPlace,
    { id, integration }: Pick<ApiRequest, 'id' | 'integration'>,
    turn: Pick<Thread, 'root'> & { readonly message: MessageId },
  ): Promise<boolean> {
    const values = { ':root': { S: turn.root }, ':message': { S: turn.message } };
    return this.#update(place, { integration, id }, ['SET root = :root, msg = :message', 'failed'], values);
  }

  /**
   * Makes a request findable by its turn, for webhooks. Stored before the turn. Resolves with false, and nothing is stored, if the turn belongs to another request.
   */
  async link(
    place: IntegrationPlace,
    { id, integration }: Pick<ApiRequest, 'id' | 'integration'>,
    turn: TurnPlace,
  ): Promise<boolean> {
    const { dynamo, table: TableName, now } = this.#config;
    return isConditionMet(
      dynamo.put({
        TableName,
        Item: {
          ...requestKey(place, integration, turnLinkKey(turn)),
          by: { S: integrationUser({ id: integration }) },
          request: { S: id },
          ttl: numberValue(now() / 1_000 + LINK_DAYS * 86_400),
        },
        ConditionExpression: 'attribute_not_exists(pk) OR #request = :request',
        ExpressionAttributeNames: { '#request': 'request' },
        ExpressionAttributeValues: { ':request': { S: id } },
      }),
    );
  }

  /** Returns the id of the request that a turn belongs to. */
  async findByTurn(
    place: IntegrationPlace,
    integration: string,
    turn: TurnPlace,
  ): Promise<string | undefined> {
    const { dynamo, table: TableName } = this.#config;
    const { Item } = await dynamo.get({ TableName, Key: requestKey(place, integration, turnLinkKey(turn)) });
    return Item?.['request']?.S;
  }

  /** Stores why a request has no turn, and the text for a refused asker. Resolves with false, and nothing is stored, if it has one, or is gone. */
  async fail(
    place: IntegrationPlace,
    { id, integration }: Pick<ApiRequest, 'id' | 'integration'>,
    { failure, refusal }: { readonly failure: ApiRequestFailure; readonly refusal?: string | undefined },
  ): Promise<boolean> {
    const values = {
      ':failed': { S: failure },
      ...(refusal !== undefined && { ':refused': { S: refusal } }),
    };
    const change = `SET failed = :failed${refusal === undefined ? '' : ', refused = :refused'}`;
    return this.#update(place, { integration, id }, [change, 'msg'], values);
  }

  /** Changes a request without this attribute: it has a turn or a failure, never both. */
  #update(
    place: IntegrationPlace,
    { integration, id }: Pick<ApiRequest, 'id' | 'integration'>,
    [UpdateExpression, excluded]: readonly [string, 'msg' | 'failed'],
    ExpressionAttributeValues: Item,
  ): Promise<boolean> {
    const { dynamo, table: TableName } = this.#config;
    return isConditionMet(
      dynamo.update({
        TableName,
        Key: requestKey(place, integration, id),
        UpdateExpression,
        ConditionExpression: `attribute_exists(pk) AND attribute_not_exists(${excluded})`,
        ExpressionAttributeValues,
      }),
    );
  }
}
