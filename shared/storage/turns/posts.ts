import { createHash, randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { type MessageId, messageId, type Thread } from '../../domain/index.ts';
import { type Dynamo, isConditionMet } from '../dynamodb/dynamo.ts';
import { type Item, type Key, numberValue } from '../keys/item-keys.ts';

type Channel = Pick<Thread, 'platform' | 'workspace' | 'channel'>;

const DAY_S = 86_400;
/** No task is redelivered after this time. */
const KEY_TTL_DAYS = 7;

const set = v.optional(v.object({ SS: v.array(v.string()) }), { SS: [] });
const shape = v.object({
  message: v.optional(v.object({ S: v.string() })),
  files: set,
  ttl: v.object({ N: v.string() }),
});

export type PostsConfig = {
  readonly dynamo: Pick<Dynamo, 'get' | 'update' | 'delete'>;
  readonly table: string;
  /** The retention of the files of a message, in days. */
  readonly days: number;
  readonly now: () => number;
};

type Change = { readonly values: Item; readonly condition?: string };

/**
 * Messages that the bot posted in addition to answers: `POSTED#<channel>` contains `KEY#<hash>` for idempotent
 * posts, and `MESSAGE#<id>` for the files of a message. Keys may contain file names, so only their hashes are
 * stored.
 */
export class Posts {
  readonly #config: PostsConfig;

  constructor(config: PostsConfig) {
    this.#config = config;
  }

  /** Records that a post with this key starts. Resolves with the earlier record; undefined the first time. */
  async begin(channel: Channel, key: string) {
    const fresh = this.#change(postKey(channel, key), 'SET #ttl = :ttl REMOVE message, files', KEY_TTL_DAYS, {
      condition: 'attribute_not_exists(pk) OR #ttl < :now',
      values: { ':now': this.#ttl(0) },
    });
    const isFirst = await isConditionMet(fresh);
    return isFirst ? undefined : this.find(channel, key);
  }

  /**
   * Like `begin`, for a message that cannot be searched for before a post: each attempt has an id, and only the last one can save the
   * message. Otherwise the late record of an earlier attempt would hide that a later one posted again. Resolves with
   * undefined if the message was saved; with `isFirst: false` if an earlier attempt may have posted.
   */
  async beginAttempt(channel: Channel, key: string) {
    const id = randomUUID().slice(-12);
    const begin = (expression: string, condition: string, more: Item = {}) =>
      isConditionMet(
        this.#change(postKey(channel, key), expression, KEY_TTL_DAYS, {
          condition,
          values: { ':attempt': { S: id }, ...more },
        }),
      );
    const change = 'SET #ttl = :ttl, attempt = :attempt';
    if (
      await begin(`${change} REMOVE message`, 'attribute_not_exists(pk) OR #ttl < :now', {
        ':now': this.#ttl(0),
      })
    )
      return { id, isFirst: true };
    return (await begin(change, 'attribute_not_exists(message)')) ? { id, isFirst: false } : undefined;
  }

  /** Saves the message of an attempt. Resolves with false, and nothing is saved, if a later one has begun. */
  async saveAttempt(
    channel: Channel,
    key: string,
    { id }: { readonly id: string },
    message: MessageId,
  ): Promise<boolean> {
    return isConditionMet(
      this.#change(postKey(channel, key), 'SET #ttl = :ttl, message = :message', KEY_TTL_DAYS, {
        condition: 'attempt = :attempt',
        values: { ':message': { S: message }, ':attempt': { S: id } },
      }),
    );
  }

  async find(channel: Channel, key: string) {
    return this.#read(postKey(channel, key));
  }

  async savePosted(channel: Channel, key: string, message: MessageId): Promise<void> {
    await this.#change(postKey(channel, key), 'SET #ttl = :ttl, message = :message', KEY_TTL_DAYS, {
      values: { ':message': { S: message } },
    });
  }

  async addFile(channel: Channel, key: string, file: string): Promise<void> {
    await this.#change(postKey(channel, key), 'ADD files :files SET #ttl = :ttl', KEY_TTL_DAYS, {
      values: { ':files': { SS: [file] } },
    });
  }

  /** Returns the files of a message; undefined if they were not recorded. */
  async findFiles(channel: Channel, message: MessageId): Promise<readonly string[] | undefined> {
    return (await this.#read(messageKey(channel, message)))?.files;
  }

  async setFiles(channel: Channel, message: MessageId, files: readonly string[]): Promise<void> {
    // DynamoDB does not store empty sets.
    const [change, values] =
      files.length === 0
        ? ['SET #ttl = :ttl REMOVE files', {}]
        : ['SET #ttl = :ttl, files = :files', { ':files': { SS: [...files] } }];
    await this.#change(messageKey(channel, message), change, this.#config.days, { values });
  }

  async remove(channel: Channel, message: MessageId): Promise<void> {
    const { dynamo, table: TableName } = this.#config;
    await dynamo.delete({ TableName, Key: messageKey(channel, message) });
  }

  async #read(Key: Key) {
    const { dynamo, table: TableName } = this.#config;
    const { Item } = await dynamo.get({ TableName, Key, ConsistentRead: true });
    const { success, output } = v.safeParse(shape, Item);
    // DynamoDB deletes expired items up to days late; here they count as absent.
    if (!success || Number(output.ttl.N) <= Number(this.#ttl(0).N)) return undefined;
    const { message, files } = output;
    return { message: message && messageId(message.S), files: files.SS };
  }

  async #change(
    Key: Key,
    UpdateExpression: string,
    days: number,
    { values, condition }: Change,
  ): Promise<void> {
    const { dynamo, table: TableName } = this.#config;
    await dynamo.update({
      TableName,
      Key,
      UpdateExpression,
      ...(condition === undefined ? {} : { ConditionExpression: condition }),
      ExpressionAttributeNames: { '#ttl': 'ttl' },
      ExpressionAttributeValues: { ...values, ':ttl': this.#ttl(days) },
    });
  }

  /** The expiry in `days` from now. */
  #ttl(days: number): { N: string } {
    return numberValue(this.#config.now() / 1_000 + days * DAY_S);
  }
}

const partition = ({ platform, workspace, channel }: Channel) => ({
  S: `POSTED#${platform}#${workspace}#${channel}`,
});
const postKey = (channel: Channel, key: string): Key => ({
  pk: partition(channel),
  sk: { S: `KEY#${createHash('sha256').update(key).digest('base64url')}` },
});
const messageKey = (channel: Channel, message: MessageId): Key => ({
  pk: partition(channel),
  sk: { S: `MESSAGE#${message}` },
});
