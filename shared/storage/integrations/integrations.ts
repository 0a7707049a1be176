import { createHash, timingSafeEqual } from 'node:crypto';
import * as v from 'valibot';
import {
  channelId,
  FORMER_KEY_HOURS,
  type Integration,
  type IntegrationPlace,
  MAX_INTEGRATIONS,
} from '../../domain/index.ts';
import { type Dynamo, isConditionMet } from '../dynamodb/dynamo.ts';
import { type Item, numberValue } from '../keys/item-keys.ts';

export type IntegrationsConfig = {
  readonly dynamo: Pick<Dynamo, 'get' | 'put' | 'update' | 'delete' | 'query'>;
  readonly table: string;
  /** ms since 1970. */
  readonly now: () => number;
};

const PREFIX = 'INTEGRATION#';
/** More than there can be: two that are added at once exceed the limit for a moment, and each has to see the other one. */
const MAX_LISTED = 2 * MAX_INTEGRATIONS;
/**
 * An integration in the `conversations` table.
 *
 *    pk    INTEGRATIONS# platform # workspace      sk    INTEGRATION# id
 *    name  for people                              channels  where it may ask
 *    private  those that may be private
 *    key   SHA-256 of its key                      former,until  that of the key before, and when it ends (s)
 *    request  the interaction that last wrote the key: its repetition writes another one
 */
const ids = v.object({ L: v.array(v.object({ S: v.string() })) });
const itemSchema = v.object({
  sk: v.object({ S: v.string() }),
  name: v.object({ S: v.string() }),
  channels: ids,
  private: v.optional(ids),
  key: v.object({ S: v.string() }),
  former: v.optional(v.object({ S: v.string() })),
  until: v.optional(v.object({ N: v.string() })),
  request: v.object({ S: v.string() }),
});

const partition = ({ platform, workspace }: IntegrationPlace) => ({
  S: `INTEGRATIONS#${platform}#${workspace}`,
});
const integrationKey = (place: IntegrationPlace, id: string) => ({
  pk: partition(place),
  sk: { S: PREFIX + id },
});

/** The integrations of workspaces. Keys are stored as hashes only. All methods reject if the table is unavailable. */
export class Integrations {
  readonly #config: IntegrationsConfig;

  constructor(config: IntegrationsConfig) {
    this.#config = config;
  }

  /** Returns all integrations of a workspace. */
  async list(place: IntegrationPlace): Promise<readonly (Integration & { readonly request: string })[]> {
    const { dynamo, table: TableName } = this.#config;
    const { Items = [] } = await dynamo.query({
      TableName,
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
      ExpressionAttributeValues: {
        ':pk': partition(place),
        ':first': { S: PREFIX },
        ':last': { S: `${PREFIX}~` },
      },
      Limit: MAX_LISTED,
      ConsistentRead: true,
    });
    return Items.map((item) => ({ ...toIntegration(item), request: v.parse(itemSchema, item).request.S }));
  }

  async find(place: IntegrationPlace, id: string): Promise<Integration | undefined> {
    const item = await this.#read(place, id);
    return item && toIntegration(item);
  }

  /** Returns the integration if this is its key, or its former one for a day. Costs one read; the comparison takes constant time. */
  async authenticate(place: IntegrationPlace, id: string, key: string): Promise<Integration | undefined> {
    const item = await this.#read(place, id);
    if (!item) return undefined;
    const stored = v.parse(itemSchema, item);
    const hash = hashApiKey(key);
    const isCurrent = isEqualInConstantTime(stored.key.S, hash);
    const formerEndsMs = Number(stored.until?.N ?? 0) * 1_000;
    const isFormer = isEqualInConstantTime(stored.former?.S ?? '', hash) && this.#config.now() < formerEndsMs;
    return isCurrent || isFormer ? toIntegration(item) : undefined;
  }

  /** Adds an integration with a key, or gives the one that the same `request` added another key. */
  async add(place: IntegrationPlace, integration: Integration, key: string, request: string): Promise<void> {
    const { dynamo, table: TableName } = this.#config;
    await dynamo.put({
      TableName,
      Item: {
        ...integrationKey(place, integration.id),
        name: { S: integration.name },
        channels: toList(integration.channels),
        ...(integration.privateChannels && { private: toList(integration.privateChannels) }),
        key: { S: hashApiKey(key) },
        request: { S: request },
      },
    });
  }

  /**
   * Replaces the key. The one before stays valid for a day; a repetition of the same `request` only replaces the key that it wrote
   * first. Resolves with false if the integration is gone.
   */
  async rotate(place: IntegrationPlace, id: string, key: string, request: string): Promise<boolean> {
    const { dynamo, table: TableName } = this.#config;
    const item = await this.#read(place, id);
    if (!item) return false;
    const { key: current, request: last } = v.parse(itemSchema, item);
    const isRepeated = last.S === request;
    const values: Item = { ':key': { S: hashApiKey(key) }, ':request': { S: request }, ':current': current };
    const until = numberValue(this.#config.now() / 1_000 + FORMER_KEY_HOURS * 3_600);
    return isConditionMet(
      dynamo.update({
        TableName,
        Key: integrationKey(place, id),
        UpdateExpression: isRepeated
          ? 'SET #key = :key, #request = :request'
          : 'SET #key = :key, #request = :request, former = :current, #until = :until',
        ConditionExpression: '#key = :current',
        ExpressionAttributeNames: {
          '#key': 'key',
          '#request': 'request',
          ...(isRepeated ? {} : { '#until': 'until' }),
        },
        ExpressionAttributeValues: isRepeated ? values : { ...values, ':until': until },
      }),
    );
  }

  /** Replaces the channels. Resolves with false if the integration is gone. */
  async setChannels(
    place: IntegrationPlace,
    id: string,
    { channels, privateChannels }: Pick<Required<Integration>, 'channels' | 'privateChannels'>,
  ): Promise<boolean> {
    const { dynamo, table: TableName } = this.#config;
    return isConditionMet(
      dynamo.update({
        TableName,
        Key: integrationKey(place, id),
        UpdateExpression: 'SET channels = :channels, #private = :private',
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeNames: { '#private': 'private' },
        ExpressionAttributeValues: {
          ':channels': toList(channels),
          ':private': toList(privateChannels ?? []),
        },
      }),
    );
  }

  /** Removes an integration. Its keys are invalid from then on. */
  async remove(place: IntegrationPlace, id: string): Promise<void> {
    const { dynamo, table: TableName } = this.#config;
    await dynamo.delete({ TableName, Key: integrationKey(place, id) });
  }

  async #read(place: IntegrationPlace, id: string): Promise<Item | undefined> {
    const { dynamo, table: TableName } = this.#config;
    return (await dynamo.get({ TableName, Key: integrationKey(place, id), ConsistentRead: true })).Item;
  }
}

const toList = (channels: Integration['channels']) => ({ L: channels.map((id) => ({ S: id })) });

const hashApiKey = (key: string): string => createHash('sha256').update(key).digest('hex');

/** Compares two hashes of secrets. The time that it takes does not depend on where they differ. */
export function isEqualInConstantTime(stored: string, candidate: string): boolean {
  const [mine, theirs] = [Buffer.from(stored), Buffer.from(candidate)];
  return mine.length === theirs.length && timingSafeEqual(mine, theirs);
}

function toIntegration(item: Item): Integration {
  const { sk, name, channels, private: privateChannels } = v.parse(itemSchema, item);
  return {
    id: sk.S.slice(PREFIX.length),
    name: name.S,
    channels: channels.L.map(({ S }) => channelId(S)),
    ...(privateChannels && { privateChannels: privateChannels.L.map(({ S }) => channelId(S)) }),
  };
}
