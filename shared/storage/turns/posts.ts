import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { type MessageId, messageId, type Thread } from '../../domain/index.ts';
import { type Dynamo, ignoreConditionFailure } from '../dynamodb/dynamo.ts';
import { type Item, type Key, numeral } from './turn-keys.ts';

type Place = Pick<Thread, 'platform' | 'workspace' | 'channel'>;

const DAY_S = 86_400;
/** No task is delivered again after so long. */
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
  /** How long it is known which files hang on a message. */
  readonly days: number;
  readonly now: () => number;
};

type Change = { readonly values: Item; readonly condition?: string };

/**
 * What the bot has posted beside answers: `POSTED#<channel>` holds `KEY#<hash>` for what is posted once by its key, and
 * `MESSAGE#<id>` for the files on a message. Keys may hold names of files, and are kept as hashes alone.
 */
export class Posts {
  readonly #config: PostsConfig;

  constructor(config: PostsConfig) {
    this.#config = config;
  }

  /** Notes that something is about to be posted by the key. Resolves with what was noted before; undefined the first time. */
  async begin(place: Place, key: string) {
    const fresh = this.#change(keyedBy(place, key), 'SET #ttl = :ttl REMOVE message, files', KEY_TTL_DAYS, {
      condition: 'attribute_not_exists(pk) OR #ttl < :now',
      values: { ':now': this.#ttl(0) },
    });
    const first = await ignoreConditionFailure(fresh);
    return first ? undefined : this.find(place, key);
  }

  async find(place: Place, key: string) {
    return this.#read(keyedBy(place, key));
  }

  async posted(place: Place, key: string, message: MessageId): Promise<void> {
    await this.#change(keyedBy(place, key), 'SET #ttl = :ttl, message = :message', KEY_TTL_DAYS, {
      values: { ':message': { S: message } },
    });
  }

  async addFile(place: Place, key: string, file: string): Promise<void> {
    await this.#change(keyedBy(place, key), 'ADD files :files SET #ttl = :ttl', KEY_TTL_DAYS, {
      values: { ':files': { SS: [file] } },
    });
  }

  /** The files that hang on a message; undefined where that was not noted. */
  async filesOn(place: Place, message: MessageId): Promise<readonly string[] | undefined> {
    return (await this.#read(messageKey(place, message)))?.files;
  }

  async setFiles(place: Place, message: MessageId, files: readonly string[]): Promise<void> {
    // DynamoDB keeps no empty sets.
    const [change, values] =
      files.length === 0
        ? ['SET #ttl = :ttl REMOVE files', {}]
        : ['SET #ttl = :ttl, files = :files', { ':files': { SS: [...files] } }];
    await this.#change(messageKey(place, message), change, this.#config.days, { values });
  }

  async forget(place: Place, message: MessageId): Promise<void> {
    const { dynamo, table: TableName } = this.#config;
    await dynamo.delete({ TableName, Key: messageKey(place, message) });
  }

  async #read(Key: Key) {
    const { dynamo, table: TableName } = this.#config;
    const { Item } = await dynamo.get({ TableName, Key, ConsistentRead: true });
    const { success, output } = v.safeParse(shape, Item);
    // DynamoDB removes expired items up to days late; for us they are gone at once.
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

  /** In days from now. */
  #ttl(days: number): { N: string } {
    return numeral(this.#config.now() / 1_000 + days * DAY_S);
  }
}

const partition = ({ platform, workspace, channel }: Place) => ({
  S: `POSTED#${platform}#${workspace}#${channel}`,
});
const keyedBy = (place: Place, key: string): Key => ({
  pk: partition(place),
  sk: { S: `KEY#${createHash('sha256').update(key).digest('base64url')}` },
});
const messageKey = (place: Place, message: MessageId): Key => ({
  pk: partition(place),
  sk: { S: `MESSAGE#${message}` },
});
