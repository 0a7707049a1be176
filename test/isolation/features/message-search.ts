import { workspaceId } from '../../../shared/domain/index.ts';
import { createMessageSearchTools } from '../../../shared/search/index.ts';
import { ACTOR } from '../access-checker.ts';
import { givingItems, type SeededBug, worker } from '../bug-parts.ts';
import { type ChooseCommand, chooseWeighted, type Given, pick, type Writer } from '../commands.ts';
import type { IsolationHarness } from '../harness.ts';
import type { Operation } from '../operation.ts';
import { addDeniedChannels, changeAccess } from '../denied-channels.ts';
import { someOperation } from '../operations.ts';
import { asking, everyAdmin, type Feature, forgettingMe, typing, typingAsAdmin } from './feature.ts';

const tools = (options: Given['options']): Given => ({ name: 'tools', options, operation: 'tools' });

/** A mention as the platform writes it in a text. */
const mention = ({ other }: Writer): string => (/^\d/u.test(other) ? `<@${other}>` : other);

/** Commands that administrators use to turn the search on and off; others are refused. */
const COMMANDS: readonly (readonly [number, ChooseCommand])[] = [
  [
    4,
    ({ random }) =>
      tools({ do: 'on', what: 'messages', for: pick(random, ['channel', 'workspace']) ?? 'channel' }),
  ],
  [2, (of) => tools({ do: 'on', what: 'messages', for: 'channel', with: mention(of) })],
  [
    2,
    ({ random }) =>
      tools({ do: 'off', what: 'messages', for: pick(random, ['channel', 'workspace']) ?? 'channel' }),
  ],
  [1, () => tools({ do: 'list' })],
];
const command: ChooseCommand = (of) => chooseWeighted(of.random, COMMANDS)(of);

/** The search is on in each tenant, in the channels of all members for one person alone. */
async function setUp(
  harness: IsolationHarness,
  perform: (operation: Operation) => Promise<void>,
): Promise<void> {
  addDeniedChannels(harness);
  for (const type of everyAdmin(harness))
    for (const choose of [
      () => tools({ do: 'on', what: 'messages', for: 'workspace' }),
      (of: Writer) => tools({ do: 'on', what: 'messages', for: 'channel', with: mention(of) }),
    ]) {
      const operation = type(choose);
      if (operation) await perform(operation);
    }
}

const OTHER_GUILD = workspaceId('201000000000000001');
const OTHER_WORKSPACE = workspaceId('T0PARLEY00');

/** Bugs of the search that a run must detect. */
const BUGS: readonly SeededBug[] = [
  {
    name: 'the messages of another tenant are searched',
    system: worker(({ platform, toolSources: [knowledge, , ...others] }) => {
      const prepare: typeof platform.prepareMessageSearch = (turn, token) => {
        const workspace = turn.thread.platform === 'slack' ? OTHER_WORKSPACE : OTHER_GUILD;
        return platform.prepareMessageSearch({ ...turn, thread: { ...turn.thread, workspace } }, token);
      };
      const searching = createMessageSearchTools({
        platform: { prepareMessageSearch: prepare },
        log: () => undefined,
      });
      return { toolSources: knowledge ? [knowledge, searching, ...others] : [searching] };
    }),
  },
  {
    name: 'a search reads private channels',
    ground: (ground) => ({
      ...ground,
      webCall: (config) => {
        const call = ground.webCall(config);
        return async (method, args) => {
          const response = await call(method, args);
          if (method !== 'assistant.search.context') return response;
          const history = await call('conversations.history', { channel: 'G0SECRET00' }).catch(
            () => undefined,
          );
          return history ? { ...response, results: { messages: foundIn(history) } } : response;
        };
      },
    }),
  },
  {
    name: 'the search is on for everybody if it is on for somebody',
    ground: givingItems((item) => {
      const layer = item['layer']?.S?.replaceAll(/"messages@[^"]*"/gu, '"messages"');
      return layer === undefined ? item : { ...item, layer: { S: layer } };
    }),
  },
  {
    name: 'the messages of a forgotten person are searched',
    ground: (ground) => ({
      ...ground,
      dynamo: {
        ...ground.dynamo,
        get: async (input) =>
          input.Key?.['pk']?.S?.startsWith('ERASED#') === true && ACTOR.getStore()?.operation !== 'forget'
            ? {}
            : ground.dynamo.get(input),
      },
    }),
  },
];

/** The messages of a channel as a search would find them. */
function foundIn(history: object): object[] {
  const messages: unknown = 'messages' in history ? history.messages : [];
  return (Array.isArray(messages) ? messages : []).flatMap((message: unknown) =>
    typeof message === 'object' && message !== null && 'text' in message && 'ts' in message
      ? [{ message_ts: message.ts, content: message.text, permalink: 'https://example.slack.com/archives/G' }]
      : [],
  );
}

/** The search of messages: for whom it is on, and whose messages of which channels it finds. */
export const MESSAGE_SEARCH: Feature = {
  setUp,
  operations: [
    [60, asking],
    [6, typingAsAdmin(command)],
    [4, typing(command)],
    [6, forgettingMe],
    [2, changeAccess],
    [13, someOperation],
  ],
  bugs: BUGS,
};
