import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { type MessageId, messageId, threadKey, type TurnRef } from '../../domain/index.ts';
import { type Dynamo, isConditionMet } from '../dynamodb/dynamo.ts';
import { numberValue } from '../keys/item-keys.ts';

type TurnId = Pick<TurnRef, 'thread' | 'message'>;

export type AnswerFilesConfig = {
  readonly dynamo: Pick<Dynamo, 'put' | 'query' | 'update' | 'delete'>;
  readonly table: string;
  /** The retention of conversations, in days. */
  readonly days: number;
  readonly now: () => number;
};

const item = v.object({
  sk: v.object({ S: v.string() }),
  claim: v.object({ S: v.string() }),
  /** When it was claimed (ms since 1970). Items of earlier versions lack it. */
  claimed: v.optional(v.object({ N: v.string() })),
  shown: v.optional(v.object({ SS: v.array(v.string()) })),
});

/** A file that a person asked for: the request that posts it, and its messages. */
export type AnswerFile = { readonly claim: string; readonly messages: readonly MessageId[] };

type StoredFile = AnswerFile & { readonly file: string; readonly claimed: number | undefined };

/** A task is given up earlier than this: nobody else posts the file any more. */
const ABANDONED_AFTER_MS = 20 * 60_000;

/**
 * The files and canvases that people asked for, of an answer: an item in the partition of its thread, which names the person (`by`) and the messages
 * (`shown`). So an erasure of the person or thread finds it, and deletes the messages with their files. All methods reject if the table is
 * unavailable.
 */
export class AnswerFiles {
  readonly #config: AnswerFilesConfig;

  constructor(config: AnswerFilesConfig) {
    this.#config = config;
  }

  /**
   * Claims the posting of a file for a request. Returns its id, which is another one for another text, and the earlier claim if there is one: of
   * another request, or of an earlier delivery of this one. A claim without a message, of a request that must have been given up, is replaced.
   */
  async claim(
    turn: TurnRef,
    { name, text }: { readonly name: string; readonly text: string },
    request: string,
  ): Promise<{ readonly id: string; readonly earlier?: AnswerFile | undefined }> {
    const { dynamo, table: TableName, now, days } = this.#config;
    const id = `${name}#${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
    const put = dynamo.put({
      TableName,
      Item: {
        ...fileKey(turn, id),
        by: { S: turn.asker },
        ws: { S: turn.askerWorkspace },
        claim: { S: request },
        claimed: numberValue(now()),
        ttl: numberValue(now() / 1_000 + days * DAY_S),
      },
      ConditionExpression: 'attribute_not_exists(pk)',
    });
    if (await isConditionMet(put)) return { id };
    const earlier = (await this.#list(turn)).find(({ file }) => file === id);
    const isTaken = earlier !== undefined && (await this.#takeOver(turn, earlier, request));
    return isTaken ? { id } : { id, earlier };
  }

  /** Gives a claim whose request was given up to another request. Resolves with whether it did. */
  async #takeOver(
    turn: TurnId,
    { file, claim, claimed, messages }: StoredFile,
    request: string,
  ): Promise<boolean> {
    const { dynamo, table: TableName, now } = this.#config;
    if (messages.length > 0 || claimed === undefined || claimed > now() - ABANDONED_AFTER_MS) return false;
    const update = dynamo.update({
      TableName,
      Key: fileKey(turn, file),
      UpdateExpression: 'SET claim = :request, claimed = :now',
      ConditionExpression: 'claim = :former AND attribute_not_exists(shown)',
      ExpressionAttributeValues: {
        ':request': { S: request },
        ':former': { S: claim },
        ':now': numberValue(now()),
      },
    });
    return isConditionMet(update);
  }

  /** Adds a message with the file. False if the claim was erased meanwhile: then nothing leads to the message. */
  async addMessage(turn: TurnId, file: string, message: MessageId): Promise<boolean> {
    const { dynamo, table: TableName } = this.#config;
    return isConditionMet(
      dynamo.update({
        TableName,
        Key: fileKey(turn, file),
        UpdateExpression: 'ADD shown :message',
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeValues: { ':message': { SS: [message] } },
      }),
    );
  }

  /** Removes a claim, so that the person can ask again. */
  async release(turn: TurnId, file: string): Promise<void> {
    const { dynamo, table: TableName } = this.#config;
    await dynamo.delete({ TableName, Key: fileKey(turn, file) });
  }

  /** Returns the messages with files of an answer. */
  async list(turn: TurnId): Promise<readonly MessageId[]> {
    return (await this.#list(turn)).flatMap(({ messages }) => messages);
  }

  /** Removes the items of an answer, after its messages. */
  async removeAll(turn: TurnId): Promise<void> {
    for (const { file } of await this.#list(turn)) await this.release(turn, file);
  }

  async #list(turn: TurnId): Promise<readonly StoredFile[]> {
    const { dynamo, table: TableName } = this.#config;
    const { pk, sk } = fileKey(turn, '');
    const { Items = [] } = await dynamo.query({
      TableName,
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
      ExpressionAttributeValues: { ':pk': pk, ':first': sk, ':last': { S: `${sk.S}~` } },
      ConsistentRead: true,
    });
    return Items.flatMap((one) => {
      const { success, output } = v.safeParse(item, one);
      if (!success) return [];
      const messages = (output.shown?.SS ?? []).map(messageId);
      const claimed = output.claimed && Number(output.claimed.N);
      return [{ file: output.sk.S.slice(sk.S.length), claim: output.claim.S, claimed, messages }];
    });
  }
}

const DAY_S = 86_400;

const fileKey = ({ thread, message }: TurnId, file: string) => ({
  pk: { S: threadKey(thread) },
  sk: { S: `FILE#${message}#${file}` },
});
