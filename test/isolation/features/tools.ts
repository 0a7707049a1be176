import { createConfirmationCode, type ProposedCalls } from '../../../shared/storage/index.ts';
import { userId, workspaceId } from '../../../shared/domain/index.ts';
import { ACTOR } from '../access-checker.ts';
import { SIGNED_IN } from '../access-model.ts';
import { pressDiscordCard, pressSlackCard } from '../card-operations.ts';
import { type ChooseCommand, chooseWeighted, type Given, pick, type Writer } from '../commands.ts';
import type { Operation } from '../operation.ts';
import { someOperation } from '../operations.ts';
import { changed, givingItems, rekeyed, worker } from '../bug-parts.ts';
import type { IsolationHarness } from '../harness.ts';
import {
  actingAs,
  asking,
  everyAdmin,
  type Feature,
  type MakeOperation,
  typing,
  typingAsAdmin,
} from './feature.ts';
import * as discord from '../discord-operations.ts';
import * as slack from '../slack-operations.ts';
import { addressOf, codeOf, SERVERS } from './tool-servers.ts';

const tools = (options: Given['options']): Given => ({ name: 'tools', options, operation: 'tools' });

const add =
  (name: (typeof SERVERS)[number], auth: string): ChooseCommand =>
  (of) =>
    tools({ do: 'add', what: addressOf(name, of.own.tenant), with: auth, name });

/** A mention as the platform writes it in a text. */
const mention = ({ other }: Writer): string => (/^\d/u.test(other) ? `<@${other}>` : other);
const anyServer = ({ random }: Writer): string => pick(random, SERVERS) ?? 'notes';

/** Commands that administrators use to choose tools; others are refused. */
const COMMANDS: readonly (readonly [number, ChooseCommand])[] = [
  [2, (of) => add(pick(of.random, SERVERS) ?? 'notes', 'none')(of)],
  [
    3,
    (of) =>
      tools({
        do: 'use',
        what: anyServer(of),
        with: pick(of.random, ['all', 'all', 'read', 'none']) ?? 'all',
      }),
  ],
  [
    3,
    (of) =>
      tools({ do: 'on', what: anyServer(of), for: pick(of.random, ['channel', 'workspace']) ?? 'channel' }),
  ],
  [4, (of) => tools({ do: 'on', what: anyServer(of), for: 'channel', with: mention(of) })],
  [
    5,
    (of) =>
      tools({ do: 'off', what: anyServer(of), for: pick(of.random, ['channel', 'workspace']) ?? 'channel' }),
  ],
  [1, (of) => tools({ do: 'list', what: anyServer(of) })],
  [1, () => tools({ do: 'log' })],
  [1, (of) => tools({ do: 'remove', what: anyServer(of) })],
];
const command: ChooseCommand = (of) => chooseWeighted(of.random, COMMANDS)(of);
const connect: ChooseCommand = () => tools({ do: 'connect', what: 'mail' });
/** Who came back confirms it with the code of their page, or somebody else tries that code. */
const confirm: MakeOperation = (harness) => {
  const actor = pick(harness.random, harness.tools.returned.slice(-4));
  if (!actor) return undefined;
  const what = createConfirmationCode(codeOf(actor));
  const choose = (): Given => ({ ...tools({ do: 'confirm', what }), operation: SIGNED_IN });
  if (harness.random() < 0.2) return typing(choose)(harness);
  const { channel } = actor;
  const of = harness.slack.find(({ tenant }) => tenant === actor.tenant);
  const user = harness.discord.state.users.get(actor.user);
  if (of) return slack.commandBy(harness, { of, user: actor.user, channel }, choose);
  return user && discord.commandBy(harness, { user, channel }, choose);
};

/** Only they see the answer. */
const askPrivately: ChooseCommand = ({ checker, own, user }) => ({
  name: 'ask',
  options: { question: `What of ${checker.plant(own, user)}?`, private: true },
  secret: true,
  operation: 'ask privately',
});

async function setUp(
  harness: IsolationHarness,
  perform: (operation: Operation) => Promise<void>,
): Promise<void> {
  for (const type of everyAdmin(harness)) {
    for (const choose of [
      add('notes', 'none'),
      add('vault', 'key'),
      add('mail', 'person'),
      () => tools({ do: 'use', what: 'notes', with: 'all' }),
      () => tools({ do: 'on', what: 'notes', for: 'channel' }),
      () => tools({ do: 'on', what: 'mail', for: 'workspace' }),
      (of: Writer) => tools({ do: 'on', what: 'vault', for: 'channel', with: mention(of) }),
    ]) {
      const operation = type(choose);
      if (!operation) continue;
      await perform(operation);
      if (choose.length === 0 || operation.actor.tenant === '@me') continue;
      await perform({ actor: actingAs(operation.actor, 'tools'), act: () => setKey(harness, operation) });
    }
    const use = type(() => tools({ do: 'use', what: 'vault', with: 'all' }));
    if (use) await perform(use);
  }
}

/** Enters the key of `vault`, as the modal does. */
async function setKey(harness: IsolationHarness, { actor }: Operation): Promise<void> {
  const platform = /^\d/u.test(actor.tenant) ? 'discord' : 'slack';
  const { credentials, servers } = harness.system.context.toolServers;
  const place = { platform, workspace: workspaceId(actor.tenant) } as const;
  const server = await servers.find(place, 'vault');
  if (!server || server.tools.length > 0) return;
  await credentials.save(place, 'vault', { token: harness.tools.keyOf(actor.tenant) });
  const listed = await servers.find(place, 'notes');
  if (listed)
    await servers.change(place, 'vault', (stored) => ({
      ...stored,
      tools: listed.tools.map((tool) => ({ ...tool, use: 'off' })),
    }));
}

/** Somebody presses Run or Cancel on a card that they see: mostly the asker, but also others. */
const decide: MakeOperation = (harness) =>
  harness.random() < 0.6
    ? pressSlackCard(
        harness,
        /tools\.(?:run|cancel)/u,
        (message, tenant, channel) =>
          message.ephemeralTo ?? pick(harness.random, harness.members(tenant, channel)),
      )
    : pressDiscordCard(
        harness,
        /tools\.(?:run|cancel)/u,
        (message) => message.ephemeralTo ?? pick(harness.random, harness.members('', message.channel)),
      );

/** A person comes back from the page of a server; the state may be forged, old, or that of another person. */
const comeBack: MakeOperation = (harness) => {
  const signIn = pick(harness.random, harness.tools.signIns);
  if (!signIn) return undefined;
  const { actor } = signIn;
  const other = pick(harness.random, harness.slack)?.tenant ?? '';
  const isForged = harness.random() < 0.3;
  const state = isForged ? signIn.state.replace(actor.tenant, other) : signIn.state;
  const act = (): Promise<unknown> =>
    harness.system.toolSignIn({ queryStringParameters: { state, code: codeOf(actor) } });
  if (state === signIn.state) {
    harness.tools.signIns.splice(harness.tools.signIns.indexOf(signIn), 1);
    harness.tools.returned.push(actor);
  }
  const tenant = state === signIn.state ? actor.tenant : other;
  return { actor: { ...actor, tenant, channel: 'none', operation: SIGNED_IN }, act, detail: state };
};

type Calls = Pick<ProposedCalls, 'find'>;

/** Finds each call as one of the person who acts. */
const findForAnybody =
  (calls: Calls): Calls['find'] =>
  async (...of) => {
    const call = await calls.find(...of);
    const user = ACTOR.getStore()?.user;
    return call && user !== undefined ? { ...call, by: userId(user) } : call;
  };

/** MCP servers: whose are called, for whom, and who decides about calls with effects. */
export const TOOLS: Feature = {
  setUp,
  operations: [
    [40, asking],
    [8, typing(askPrivately)],
    [14, decide],
    [8, typingAsAdmin(command)],
    [6, typing(command)],
    [5, typing(connect)],
    [8, confirm],
    [5, comeBack],
    [16, someOperation],
  ],
  bugs: [
    {
      name: 'MCP servers of all workspaces in one partition',
      ground: rekeyed((pk) => pk.replace(/^TOOLS#slack#.*/u, 'TOOLS#slack#T0PARLEY00')),
    },
    {
      name: 'everybody decides about calls of tools',
      system: worker(({ toolServers }) => ({
        toolServers: {
          ...toolServers,
          calls: changed(toolServers.calls, 'find', findForAnybody(toolServers.calls)),
        },
      })),
    },
    {
      name: 'tools with an effect run at once',
      system: worker(({ toolServers }) => ({
        toolServers: {
          ...toolServers,
          servers: changed(toolServers.servers, 'list', async (place) =>
            (await toolServers.servers.list(place)).map((server) => ({
              ...server,
              tools: server.tools.map((tool) => ({ ...tool, use: tool.use === 'off' ? 'off' : 'run' })),
            })),
          ),
        },
      })),
    },
    {
      name: 'tools that are on for somebody are on for everybody',
      ground: givingItems((item) => {
        const layer = item['layer']?.S?.replaceAll(/"(notes|vault|mail)@[^"]*"/gu, '"$1"');
        return layer === undefined ? item : { ...item, layer: { S: layer } };
      }),
    },
    {
      name: 'everybody administers MCP servers',
      system: worker(({ userProfile: people }) => ({
        userProfile: async (of, user) => ({ ...(await people?.(of, user)), admin: true }),
      })),
    },
    {
      name: 'one sign-in for all people',
      ground: rekeyed(
        (pk) => pk,
        (sk) => sk.replace(/^SERVER#mail#.*/u, 'SERVER#mail#U0ADA00000'),
      ),
    },
  ],
};
