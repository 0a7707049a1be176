import type { ScanCommandInput, ScanCommandOutput } from '@aws-sdk/client-dynamodb';
import * as z from 'zod/mini';
import type { PlatformName, UserId, WorkspaceId } from '../conversation/index.ts';
import { type JobId, jobId } from '../jobs/index.ts';
import type { Dynamo } from './dynamo.ts';
import type { Item } from './turn-keys.ts';

/** Whose traces are to go. */
export type Whose = {
  readonly platform: PlatformName;
  /** Absent: wherever this person was. */
  readonly workspace?: WorkspaceId | undefined;
  /** This person's alone; without it, all of the workspace. */
  readonly user?: UserId | undefined;
};

/** Reads a table page by page. The one call that looks at more than it names; nothing but erasing makes it. */
export type Scan = (
  input: ScanCommandInput,
) => Promise<Pick<ScanCommandOutput, 'Items' | 'LastEvaluatedKey'>>;

export type ErasureConfig = {
  readonly dynamo: Pick<Dynamo, 'delete'>;
  readonly scan: Scan;
  readonly table: string;
};

/** What one page came to. `next` is where to go on; absent at the end of the table. */
export type ErasedPage = {
  readonly erased: number;
  /** Video jobs of whoever is forgotten: they, and their media, go by their own rules. */
  readonly jobs: readonly JobId[];
  readonly next?: string | undefined;
};

const key = z.object({ pk: z.object({ S: z.string() }), sk: z.object({ S: z.string() }) });
const by = z.object({ by: z.object({ S: z.string() }) });
const cursor = z.object({ pk: z.object({ S: z.string() }), sk: z.object({ S: z.string() }) });

/** Items of one page, which bounds what one call reads: about 100 read units. */
const PAGE = 500;
const SIDE_BY_SIDE = 25;

/**
 * Removes what a workspace or a person left in `conversations`. No index leads from a workspace to its threads: one would
 * cost with every turn, and erasing is rare, so the table is read through. May be broken off and repeated at any page.
 */
export class Erasure {
  readonly #config: ErasureConfig;

  constructor(config: ErasureConfig) {
    this.#config = config;
  }

  async page(whose: Whose, from?: string): Promise<ErasedPage> {
    const { scan, table: TableName } = this.#config;
    const start = from === undefined ? {} : { ExclusiveStartKey: cursor.parse(JSON.parse(from)) };
    const { Items = [], LastEvaluatedKey } = await scan({
      TableName,
      Limit: PAGE,
      FilterExpression: 'contains(pk, :place)',
      ExpressionAttributeValues: { ':place': { S: placeOf(whose) } },
      ...start,
    });
    const found = Items.filter((item) => isOf(item, whose)).map((item) => key.parse(item));
    for (let i = 0; i < found.length; i += SIDE_BY_SIDE) {
      await Promise.all(found.slice(i, i + SIDE_BY_SIDE).map((one) => this.#remove(one)));
    }
    const jobs = found.flatMap(({ sk }) => jobId(sk.S.replace(/^VIDEO#/u, '')) ?? []);
    return {
      erased: found.length,
      jobs,
      next: LastEvaluatedKey && JSON.stringify(cursor.parse(LastEvaluatedKey)),
    };
  }

  async #remove({ pk, sk }: z.infer<typeof key>): Promise<void> {
    await this.#config.dynamo.delete({ TableName: this.#config.table, Key: { pk, sk } });
  }
}

const placeOf = ({ platform, workspace }: Pick<Whose, 'platform' | 'workspace'>): string =>
  workspace === undefined ? `${platform}#` : `${platform}#${workspace}`;

/** The filter takes `slack#T1` in `slack#T12` too, so that keys are looked at once more. Installs go by their own rule. */
function isOf(item: Item, { platform, workspace, user }: Whose): boolean {
  const { success, data } = key.safeParse(item);
  if (!success || data.pk.S.startsWith('INSTALL#')) return false;
  const place = placeOf({ platform, workspace });
  if (!`#${data.pk.S}#`.includes(`#${place}${workspace === undefined ? '' : '#'}`)) return false;
  if (user === undefined) return workspace !== undefined;
  const theirs = by.safeParse(item);
  return (theirs.success && theirs.data.by.S === user) || data.sk.S.endsWith(`#${user}`);
}
