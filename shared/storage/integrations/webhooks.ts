import * as v from 'valibot';
import {
  type IntegrationPlace,
  userId,
  type UserId,
  WEBHOOK_EVENTS,
  type WebhookEventKind,
} from '../../domain/index.ts';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { ConditionFailedError, type Dynamo, isConditionMet } from '../dynamodb/dynamo.ts';
import { numberValue } from '../keys/item-keys.ts';

/** The URL that gets the events of an integration. */
export type Webhook = {
  readonly url: string;
  readonly events: readonly WebhookEventKind[];
  /** The administrator who set it. They are told when it is turned off. */
  readonly by: UserId;
  /** Events in a row that were not delivered. */
  readonly failures: number;
  /** Turned off, because its address did not answer. */
  readonly isOff: boolean;
  /** Also about answers that others asked for in the channels of the integration. */
  readonly isForChannels: boolean;
  /** The encrypted secret: another one each time that the webhook is set. `decrypt` reads it. */
  readonly sealed: Uint8Array;
};

type NewWebhook = Pick<Webhook, 'url' | 'events' | 'by'> & { readonly isForChannels?: boolean };

type Encryption = {
  readonly encrypt: (text: string, about: string) => Promise<Uint8Array>;
  readonly decrypt: (sealed: Uint8Array, about: string) => Promise<string>;
};

export type WebhooksConfig = {
  readonly dynamo: Pick<Dynamo, 'get' | 'put' | 'update' | 'delete'>;
  readonly table: string;
  readonly encryptor: Encryption;
};

/**
 * A webhook in the `conversations` table.
 *
 *    pk    INTEGRATIONS# platform # workspace      sk    WEBHOOK# id of the integration
 *    url,events  where, and about what             secret  for signatures, encrypted by KMS
 *    all  whether it is also about answers to others in its channels
 *    admin  who set it                             failures,off  events in a row that failed; whether it is off
 */
const itemSchema = v.object({
  url: v.object({ S: v.string() }),
  events: v.object({ L: v.array(v.object({ S: v.picklist(WEBHOOK_EVENTS) })) }),
  secret: v.object({ B: v.instance(Uint8Array) }),
  admin: v.object({ S: v.string() }),
  failures: v.object({ N: v.string() }),
  off: v.object({ BOOL: v.boolean() }),
  all: v.optional(v.object({ BOOL: v.boolean() })),
});

const webhookKey = ({ platform, workspace }: IntegrationPlace, id: string) => ({
  pk: { S: `INTEGRATIONS#${platform}#${workspace}` },
  sk: { S: `WEBHOOK#${id}` },
});

/** The encryption context: a secret of one integration cannot be used for another. */
const encryptionContext = ({ platform, workspace }: IntegrationPlace, id: string): string =>
  `webhook#${platform}#${workspace}#${id}`;

/** The webhooks of integrations. All methods reject if the table or the encryption is unavailable. */
export class Webhooks {
  readonly #config: WebhooksConfig;

  constructor(config: WebhooksConfig) {
    this.#config = config;
  }

  async find(place: IntegrationPlace, id: string): Promise<Webhook | undefined> {
    const { dynamo, table: TableName } = this.#config;
    const { Item } = await dynamo.get({ TableName, Key: webhookKey(place, id), ConsistentRead: true });
    if (!Item) return undefined;
    const { url, events, admin, failures, off, all, secret } = v.parse(itemSchema, Item);
    return {
      url: url.S,
      events: events.L.map(({ S }) => S),
      by: userId(admin.S),
      failures: Number(failures.N),
      isOff: off.BOOL,
      isForChannels: all?.BOOL === true,
      sealed: secret.B,
    };
  }

  /** Returns the secret for signatures. */
  decrypt(place: IntegrationPlace, id: string, { sealed }: Pick<Webhook, 'sealed'>): Promise<string> {
    return this.#config.encryptor.decrypt(sealed, encryptionContext(place, id));
  }

  /** Sets the webhook of an integration, with another secret. It is on. */
  async save(
    place: IntegrationPlace,
    id: string,
    { url, events, by, isForChannels = false }: NewWebhook,
    secret: string,
  ): Promise<void> {
    const { dynamo, table: TableName, encryptor } = this.#config;
    await dynamo.put({
      TableName,
      Item: {
        ...webhookKey(place, id),
        url: { S: url },
        events: { L: events.map((event) => ({ S: event })) },
        secret: { B: await encryptor.encrypt(secret, encryptionContext(place, id)) },
        admin: { S: by },
        failures: numberValue(0),
        off: { BOOL: false },
        ...(isForChannels && { all: { BOOL: true } }),
      },
    });
  }

  async remove(place: IntegrationPlace, id: string): Promise<void> {
    const { dynamo, table: TableName } = this.#config;
    await dynamo.delete({ TableName, Key: webhookKey(place, id) });
  }

  /** Notes that an event was delivered: the failures before it no longer count. Changes nothing if the webhook was set again since it was read. */
  async resetFailures(place: IntegrationPlace, id: string, webhook: Pick<Webhook, 'sealed'>): Promise<void> {
    await isConditionMet(this.#change(place, id, webhook, 'failures = :value', numberValue(0)));
  }

  /**
   * Counts an event that was not delivered, also if others end at the same time. Resolves with how many there are in a row now; undefined
   * if the webhook was set again since it was read, also with the same address: then nothing is counted.
   */
  async countFailure(
    place: IntegrationPlace,
    id: string,
    webhook: Pick<Webhook, 'sealed'>,
  ): Promise<number | undefined> {
    try {
      const change = 'failures = failures + :value';
      const { Attributes } = await this.#change(place, id, webhook, change, numberValue(1));
      return Number(Attributes?.['failures']?.N ?? 1);
    } catch (error) {
      if (error instanceof ConditionFailedError) return undefined;
      throw error;
    }
  }

  /** Turns the webhook off: only setting it turns it on. Resolves with false if it was set again since it was read. */
  turnOff(place: IntegrationPlace, id: string, webhook: Pick<Webhook, 'sealed'>): Promise<boolean> {
    return isConditionMet(
      this.#change(place, id, webhook, '#off = :value', { BOOL: true }, { '#off': 'off' }),
    );
  }

  #change(
    place: IntegrationPlace,
    id: string,
    { sealed }: Pick<Webhook, 'sealed'>,
    change: string,
    value: AttributeValue,
    names?: Record<string, string>,
  ): ReturnType<Dynamo['update']> {
    return this.#config.dynamo.update({
      TableName: this.#config.table,
      Key: webhookKey(place, id),
      UpdateExpression: `SET ${change}`,
      ConditionExpression: 'secret = :secret',
      ...(names && { ExpressionAttributeNames: names }),
      ExpressionAttributeValues: { ':value': value, ':secret': { B: sealed } },
      ReturnValues: 'ALL_NEW',
    });
  }
}
