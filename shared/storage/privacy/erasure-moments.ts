import { createHash } from 'node:crypto';
import type { PlatformName, Thread, UserId, WorkspaceId } from '../../domain/index.ts';
import type { Dynamo } from '../dynamodb/dynamo.ts';
import { numeral } from '../turns/turn-keys.ts';

export type ErasureMomentsConfig = {
  readonly dynamo: Pick<Dynamo, 'get' | 'update'>;
  readonly table: string;
};

/**
 * Who, which thread, or which workspace was forgotten. A person without a workspace: wherever they were on the platform. A workspace is forgotten
 * when it removes the app; what was asked for before that is not done after it, but what stands there may be read again once it comes back.
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
 * Since when a person or a thread is forgotten. What they said before stays on the platform, and must not be read back from there. Kept
 * for ever, also when the workspace is removed: it may come back, and what was said is there still. An item holds a hash and
 * a moment: no name, no id, no words.
 */
export class ErasureMoments {
  readonly #config: ErasureMomentsConfig;

  constructor(config: ErasureMomentsConfig) {
    this.#config = config;
  }

  /** Said again, the later moment counts (ms since 1970). */
  async record(subject: ErasedSubject, atMs: number): Promise<void> {
    await this.#config.dynamo.update({
      TableName: this.#config.table,
      Key: keyOf(subject),
      UpdateExpression: 'SET #at = :at',
      ExpressionAttributeNames: { '#at': 'at' },
      ExpressionAttributeValues: { ':at': numeral(atMs) },
    });
  }

  /** Until when (ms since 1970) what was said is forgotten; undefined for somebody who never asked for it. Read consistently. */
  async of(subject: ErasedSubject): Promise<number | undefined> {
    const { dynamo, table: TableName } = this.#config;
    const { Item } = await dynamo.get({ TableName, Key: keyOf(subject), ConsistentRead: true });
    return Item?.['at']?.N === undefined ? undefined : Number(Item['at'].N);
  }

  /** For each of these people, the later of the moments in this workspace and on all of the platform. */
  async ofPeople(
    { platform, workspace }: Pick<Thread, 'platform' | 'workspace'>,
    people: Iterable<UserId>,
  ): Promise<ReadonlyMap<UserId, number>> {
    const found = await Promise.all(
      [...new Set(people)].map(async (user) => {
        // Slack tells of no removal by one person alone.
        const everywhere = platform === 'discord' ? [undefined] : [];
        const moments = await Promise.all(
          [workspace, ...everywhere].map((one) => this.of({ platform, workspace: one, user })),
        );
        return [user, Math.max(...moments.map((at) => at ?? 0))] as const;
      }),
    );
    return new Map(found.filter(([, at]) => at > 0));
  }
}

function keyOf(subject: ErasedSubject) {
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
