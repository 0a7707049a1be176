import { createHash } from 'node:crypto';
import type { PlatformName, Thread, UserId, WorkspaceId } from '../../domain/index.ts';
import { ConditionFailedError, type Dynamo } from '../dynamodb/dynamo.ts';
import { numberValue } from '../keys/item-keys.ts';

export type ErasureMomentsConfig = {
  readonly dynamo: Pick<Dynamo, 'get' | 'update'>;
  readonly table: string;
};

/**
 * The erased person, thread or workspace. A person without a workspace: in all workspaces of the platform. A
 * workspace is erased when it removes the app: requests from before are not executed afterwards, but its
 * messages may be read again after a new install.
 */
export type ErasedSubject =
  | {
      readonly platform: PlatformName;
      readonly workspace: WorkspaceId | undefined;
      readonly user: UserId;
    }
  | { readonly platform: PlatformName; readonly workspace: WorkspaceId }
  | { readonly thread: Thread };

/**
 * Stores when people and threads were erased. Their older messages are still on the platform and must not be
 * read again. Kept for ever, even if the workspace is removed, because it may come back. An item contains only
 * a hash and a time: no name, no id, no content.
 */
export class ErasureMoments {
  readonly #config: ErasureMomentsConfig;

  constructor(config: ErasureMomentsConfig) {
    this.#config = config;
  }

  /** Recorded again, the later time counts (ms since 1970). */
  async record(subject: ErasedSubject, atMs: number): Promise<void> {
    try {
      await this.#config.dynamo.update({
        TableName: this.#config.table,
        Key: momentKey(subject),
        UpdateExpression: 'SET #at = :at',
        // A repeated task may run on a machine whose clock is behind.
        ConditionExpression: 'attribute_not_exists(#at) OR #at < :at',
        ExpressionAttributeNames: { '#at': 'at' },
        ExpressionAttributeValues: { ':at': numberValue(atMs) },
      });
    } catch (error) {
      if (!(error instanceof ConditionFailedError)) throw error;
    }
  }

  /** Returns until when content is erased (ms since 1970); undefined without an erasure. Consistent read. */
  async find(subject: ErasedSubject): Promise<number | undefined> {
    const { dynamo, table: TableName } = this.#config;
    const { Item } = await dynamo.get({ TableName, Key: momentKey(subject), ConsistentRead: true });
    return Item?.['at']?.N === undefined ? undefined : Number(Item['at'].N);
  }

  /** Returns for each person the later of their erasures in this workspace and on the whole platform. */
  async findForPeople(
    { platform, workspace }: Pick<Thread, 'platform' | 'workspace'>,
    people: Iterable<UserId>,
  ): Promise<ReadonlyMap<UserId, number>> {
    const erasedAt = await Promise.all(
      [...new Set(people)].map(async (user) => {
        // Slack has no event for erasing one person on the whole platform.
        const everywhere = platform === 'discord' ? [undefined] : [];
        const moments = await Promise.all(
          [workspace, ...everywhere].map((one) => this.find({ platform, workspace: one, user })),
        );
        return [user, Math.max(...moments.map((at) => at ?? 0))] as const;
      }),
    );
    return new Map(erasedAt.filter(([, at]) => at > 0));
  }
}

function momentKey(subject: ErasedSubject) {
  const name =
    'thread' in subject
      ? [
          'thread',
          subject.thread.platform,
          subject.thread.workspace,
          subject.thread.channel,
          subject.thread.root,
        ]
      : 'user' in subject
        ? ['person', subject.platform, subject.workspace ?? '', subject.user]
        : ['workspace', subject.platform, subject.workspace];
  const hash = createHash('sha256').update(JSON.stringify(name)).digest('base64url');
  return { pk: { S: `ERASED#${hash}` }, sk: { S: 'AT' } };
}
