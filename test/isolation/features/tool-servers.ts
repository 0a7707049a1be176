import * as v from 'valibot';
import { toolClientRequestSchema, type ToolClientResponse } from '../../../shared/mcp/protocol.ts';
import type { Item } from '../../fakes/dynamo-parser.ts';
import { ACTOR, type AccessChecker } from '../access-checker.ts';
import type { Actor } from '../access-model.ts';
import { audienceOf } from '../model-services.ts';
import { EnabledTools } from './enabled-tools.ts';

/** `notes` needs no key, `vault` has a key of each workspace, and at `mail` people sign in for themselves. */
export const SERVERS = ['notes', 'vault', 'mail'] as const;
type ServerName = (typeof SERVERS)[number];

/** A sign-in that has begun: the state in the address of the page of the server. */
export type BegunSignIn = { readonly state: string; readonly actor: Actor };

/** The server of a tenant. Other tenants do not know its address. */
export const addressOf = (name: ServerName, tenant: string): string =>
  `https://${name}.${tenant.replace('@', '').toLowerCase()}.example.com/mcp`;

const nameIn = (url: string): string => new URL(url).hostname.split('.')[0] ?? '';
/** The code that a server gives a person who signed in: it names their account there. */
export const codeOf = ({ tenant, user }: Pick<Actor, 'tenant' | 'user'>): string =>
  `account ${tenant} ${user}`;

const TOOLS = ['read', 'write'].map((name) => ({
  name,
  description: `${name} a text`,
  parameters: { type: 'object', properties: { text: { type: 'string' } } },
  isReadOnly: name === 'read',
  isDestructive: false,
}));

const FAILED = { kind: 'failed', reason: 'refused', mayHaveRun: false } as const;

type ToolServerOptions = {
  readonly now: () => number;
  /** Takes time while operations run concurrently. */
  readonly gate: () => Promise<void>;
  /** A webhook arrives. */
  readonly onWebhook: (url: string, body: string) => void;
};

/** The MCP servers of all tenants. They compare each request with who causes it and with what administrators decided. */
export class ToolServers {
  readonly enabled = new EnabledTools();
  readonly signIns: BegunSignIn[] = [];
  /** Who came back from a page with a state of their own. */
  readonly returned: Actor[] = [];
  /** The addresses of the pages that were read. */
  readonly pages: string[] = [];
  readonly #checker: AccessChecker;
  readonly #options: ToolServerOptions;
  readonly #written = new Set<string>();
  readonly #keys = new Map<string, string>();

  constructor(checker: AccessChecker, options: ToolServerOptions) {
    this.#checker = checker;
    this.#options = options;
  }

  /** The key of a tenant at its server, which nobody may read. */
  keyOf(tenant: string): string {
    const key = this.#keys.get(tenant) ?? `key-${this.#checker.plant({ kind: 'nobody', tenant }, 'nobody')}`;
    this.#keys.set(tenant, key);
    return key;
  }

  /** Notes what was stored of the setting `tools`. */
  note(old: Item, after: Item | undefined): void {
    const { pk, sk } = after ?? old;
    const [table, , tenant = ''] = (pk?.S ?? '').split('#');
    const [kind, level = '', of = ''] = (sk?.S ?? '').split('#');
    if (table === 'SETTINGS' && kind === 'LEVEL')
      this.enabled.note(tenant, level, of, listIn(after?.['layer']?.S), this.#options.now());
  }

  /** The arguments with which the models call a tool of a server; undefined if it is none. */
  argumentsFor(tool: string): object | undefined {
    const actor = ACTOR.getStore();
    if (!actor || !tool.includes('__')) return undefined;
    return { text: `note ${this.#checker.plant(audienceOf(actor), actor.user)}` };
  }

  /** Handles what workers ask of the function that talks to the servers. */
  readonly invoke = async (event: unknown): Promise<ToolClientResponse> => {
    await this.#options.gate();
    const request = v.parse(toolClientRequestSchema, event);
    const actor = ACTOR.getStore();
    this.#checker.checks += 1;
    if (!actor) {
      this.#checker.fail('an MCP server is asked for nobody');
      return FAILED;
    }
    switch (request.kind) {
      case 'list':
        this.#checkServer(request, actor);
        return { kind: 'listed', tools: TOOLS };
      case 'call':
        return this.#call(request, actor);
      case 'authorize':
        this.#checkServer(request, actor);
        this.signIns.push({ state: request.state, actor });
        return { kind: 'authorizing', authorizationUrl: `${request.url}/sign-in`, session: codeOf(actor) };
      case 'exchange':
        if (request.session !== request.code)
          this.#checker.fail(`${request.code} is used for the sign-in of ${request.session}`);
        return { kind: 'authorized', accessToken: request.code, session: request.session };
      case 'refresh':
        return FAILED;
      case 'webhook':
        this.#options.onWebhook(request.url, request.body);
        return { kind: 'delivered', status: 200 };
      case 'page':
        return this.#page(request.url, actor);
    }
  };

  /** A page that somebody adds to the knowledge of their channel: its text is for that channel. */
  #page(url: string, actor: Actor): ToolClientResponse {
    const { tenant, channel, user } = actor;
    if (!this.enabled.mayUse(actor, 'knowledge', this.#options.now()))
      this.#checker.fail(`${user} adds a page where knowledge is off`);
    this.pages.push(url);
    const plant = (): string => this.#checker.plant({ kind: 'channel', tenant, channel }, user);
    return {
      kind: 'page',
      url,
      title: `Manual ${plant()}`,
      text: `The manual of the channel says ${plant()}.`,
    };
  }

  /** The server must be that of the tenant, and the key or token that of the tenant or person. */
  #checkServer(
    { url, token }: { readonly url: string; readonly token?: string | undefined },
    actor: Actor,
  ): void {
    const { tenant, user } = actor;
    const name = nameIn(url);
    if (!SERVERS.some((one) => addressOf(one, tenant) === url))
      this.#checker.fail(`${tenant} asks the server ${url} of another tenant`);
    if (token === undefined) return;
    const own = name === 'mail' ? codeOf(actor) : this.keyOf(tenant);
    if (token !== own)
      this.#checker.fail(`${url} is asked for ${user} of ${tenant} with the token “${token}”`);
  }

  #call(
    request: {
      readonly url: string;
      readonly token?: string | undefined;
      readonly tool: string;
      readonly args: object;
    },
    actor: Actor,
  ): ToolClientResponse {
    this.#checkServer(request, actor);
    const { tool, args, url } = request;
    const name = nameIn(url);
    const [text] = this.#checker.contentsIn(JSON.stringify(args));
    // A forged control may name a call of another channel: it runs with the rights that the person has there.
    const isForged = actor.operation.includes('forged');
    const now = this.#options.now();
    if (!(isForged ? this.enabled.mayUseSomewhere(actor, name, now) : this.enabled.mayUse(actor, name, now)))
      this.#checker.fail(`${name} is called for ${actor.user}, for whom it is off`);
    if (tool === 'write') this.#checkDecision(text?.marker ?? '', text?.owner, actor);
    this.#checker.read(
      JSON.stringify(args),
      { kind: 'person', tenant: actor.tenant, user: text?.owner ?? '' },
      url,
    );
    const result = this.#checker.plant(text?.audience ?? audienceOf(actor), actor.user);
    return { kind: 'called', text: `It is ${result}.`, isError: false };
  }

  /** A tool that changes something runs after its asker pressed Run, once. */
  #checkDecision(marker: string, asker: string | undefined, { user, operation }: Actor): void {
    if (!/press|reply forged/u.test(operation))
      this.#checker.fail('a tool with an effect is called without a press');
    if (asker !== user) this.#checker.fail(`a tool call that ${asker} asked for is decided by ${user}`);
    if (this.#written.has(marker)) this.#checker.fail(`a tool with an effect is called twice (${marker})`);
    this.#written.add(marker);
  }
}

const layerSchema = v.object({ values: v.object({ tools: v.optional(v.array(v.string())) }) });

function listIn(layer: string | undefined): readonly string[] | undefined {
  const parsed: unknown = JSON.parse(layer ?? 'null');
  return v.is(layerSchema, parsed) ? parsed.values.tools : undefined;
}
