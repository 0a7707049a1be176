import * as v from 'valibot';
import {
  MAX_SERVERS,
  type PlatformName,
  SERVER_AUTHS,
  type ServerAuth,
  serverToolSchema,
  TOOL_USES,
  type WorkspaceId,
} from '../../domain/index.ts';
import { type Dynamo, isConditionMet } from '../dynamodb/dynamo.ts';
import { compressJson, decompressJson } from '../dynamodb/turn-compression.ts';
import type { Item } from '../keys/item-keys.ts';

/** The owner of servers of tools: a Slack workspace or a Discord guild. */
export type ToolPlace = { readonly platform: PlatformName; readonly workspace: WorkspaceId };

const storedToolSchema = v.object({ ...serverToolSchema.entries, use: v.picklist(TOOL_USES) });
export type StoredTool = v.InferOutput<typeof storedToolSchema>;

/** A server that a workspace added, with its tools as administrators saw them. Later changes of the server do not change them. */
export type ToolServer = {
  /** In the setting `tools`. */
  readonly name: string;
  readonly url: string;
  readonly auth: ServerAuth;
  readonly tools: readonly StoredTool[];
};

export type ToolServersConfig = {
  readonly dynamo: Pick<Dynamo, 'get' | 'put' | 'delete' | 'query'>;
  readonly table: string;
};

const PREFIX = 'SERVER#';
/** More than there can be: two that are added at once exceed the limit for a moment, and each has to see the other one. */
const MAX_LISTED = 2 * MAX_SERVERS;
const itemSchema = v.object({
  sk: v.object({ S: v.string() }),
  url: v.object({ S: v.string() }),
  auth: v.object({ S: v.picklist(SERVER_AUTHS) }),
  tools: v.object({ B: v.instance(Uint8Array) }),
});

const partition = ({ platform, workspace }: ToolPlace) => ({ S: `TOOLS#${platform}#${workspace}` });

/** The servers of tools of workspaces, without their keys. All methods reject if the table is unavailable. */
export class ToolServerStore {
  readonly #config: ToolServersConfig;

  constructor(config: ToolServersConfig) {
    this.#config = config;
  }

  /** Returns all servers of a workspace, by name. */
  async list(place: ToolPlace): Promise<readonly ToolServer[]> {
    const { dynamo, table: TableName } = this.#config;
    const { Items = [] } = await dynamo.query({
      TableName,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': partition(place) },
      Limit: MAX_LISTED,
      ConsistentRead: true,
    });
    return Items.map(readServer);
  }

  async find(place: ToolPlace, name: string): Promise<ToolServer | undefined> {
    const { dynamo, table: TableName } = this.#config;
    const { Item } = await dynamo.get({ TableName, Key: serverKey(place, name), ConsistentRead: true });
    return Item && readServer(Item);
  }

  /** Adds a server. Resolves with false if there is one of that name, which stays as it is. */
  add(place: ToolPlace, server: ToolServer): Promise<boolean> {
    const { dynamo, table: TableName } = this.#config;
    const isNew = { ConditionExpression: 'attribute_not_exists(pk)' };
    return isConditionMet(dynamo.put({ TableName, Item: toItem(place, server), ...isNew }));
  }

  /** Replaces the server of that name. */
  async save(place: ToolPlace, server: ToolServer): Promise<void> {
    const { dynamo, table: TableName } = this.#config;
    await dynamo.put({ TableName, Item: toItem(place, server) });
  }

  async remove(place: ToolPlace, name: string): Promise<void> {
    const { dynamo, table: TableName } = this.#config;
    await dynamo.delete({ TableName, Key: serverKey(place, name) });
  }
}

const serverKey = (place: ToolPlace, name: string) => ({ pk: partition(place), sk: { S: PREFIX + name } });

const toItem = (place: ToolPlace, { name, url, auth, tools }: ToolServer) => ({
  ...serverKey(place, name),
  url: { S: url },
  auth: { S: auth },
  tools: { B: compressJson({ tools }) },
});

function readServer(item: Item): ToolServer {
  const { sk, url, auth, tools } = v.parse(itemSchema, item);
  const content = v.parse(
    v.object({ tools: v.optional(v.array(storedToolSchema), []) }),
    decompressJson(tools.B),
  );
  return { name: sk.S.slice(PREFIX.length), url: url.S, auth: auth.S, tools: content.tools };
}
