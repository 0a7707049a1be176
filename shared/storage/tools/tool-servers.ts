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

/** The owner of MCP servers: a Slack workspace or a Discord guild. */
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

/** A change that others are faster than each time is given up. */
const MAX_CHANGE_ATTEMPTS = 5;

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

/** The MCP servers of workspaces, without their keys. All methods reject if the table is unavailable. */
export class ToolServerStore {
  readonly #config: ToolServersConfig;

  constructor(config: ToolServersConfig) {
    this.#config = config;
  }

  /** Returns all servers of a workspace, by name. */
  async list(place: ToolPlace): Promise<readonly ToolServer[]> {
    const { dynamo, table: TableName } = this.#config;
    const items: Item[] = [];
    let start: Item | undefined;
    do {
      // A page has at most 1 MB: servers with many tools need several.
      const { Items = [], LastEvaluatedKey } = await dynamo.query({
        TableName,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': partition(place) },
        Limit: MAX_LISTED - items.length,
        ConsistentRead: true,
        ...(start && { ExclusiveStartKey: start }),
      });
      items.push(...Items);
      start = LastEvaluatedKey;
    } while (start && items.length < MAX_LISTED);
    return items.map(readServer);
  }

  async find(place: ToolPlace, name: string): Promise<ToolServer | undefined> {
    const item = await this.#read(place, name);
    return item && readServer(item);
  }

  /** Adds a server. Resolves with false if there is one of that name, which stays as it is. */
  add(place: ToolPlace, server: ToolServer): Promise<boolean> {
    const { dynamo, table: TableName } = this.#config;
    const isNew = { ConditionExpression: 'attribute_not_exists(pk)' };
    return isConditionMet(dynamo.put({ TableName, Item: toItem(place, server), ...isNew }));
  }

  /**
   * Replaces the server of that name, if there is one, by what `change` makes of it; undefined leaves it as it is. If somebody else changes it at the same
   * time, `change` gets what they have stored. Rejects with ConditionFailedError if that happens five times in a row.
   */
  async change(
    place: ToolPlace,
    name: string,
    change: (server: ToolServer) => ToolServer | undefined,
  ): Promise<void> {
    const { dynamo, table: TableName } = this.#config;
    for (let attempt = 1; ; attempt += 1) {
      const before = await this.#read(place, name);
      const server = before && change(readServer(before));
      if (!server) return;
      const write = dynamo.put({ TableName, Item: toItem(place, server), ...unchangedCondition(before) });
      if (attempt === MAX_CHANGE_ATTEMPTS) {
        await write;
        return;
      }
      if (await isConditionMet(write)) return;
    }
  }

  async remove(place: ToolPlace, name: string): Promise<void> {
    const { dynamo, table: TableName } = this.#config;
    await dynamo.delete({ TableName, Key: serverKey(place, name) });
  }

  async #read(place: ToolPlace, name: string): Promise<Item | undefined> {
    const { dynamo, table: TableName } = this.#config;
    return (await dynamo.get({ TableName, Key: serverKey(place, name), ConsistentRead: true })).Item;
  }
}

/** The condition that an item has not changed since it was read. */
function unchangedCondition(item: Item) {
  const { url, auth, tools } = v.parse(itemSchema, item);
  return {
    ConditionExpression: '#url = :url AND #auth = :auth AND #tools = :tools',
    ExpressionAttributeNames: { '#url': 'url', '#auth': 'auth', '#tools': 'tools' },
    ExpressionAttributeValues: { ':url': url, ':auth': auth, ':tools': tools },
  };
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
