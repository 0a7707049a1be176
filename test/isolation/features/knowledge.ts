import { channelId, userId, workspaceId } from '../../../shared/domain/index.ts';
import { createKnowledgeTools } from '../../../shared/knowledge/index.ts';
import { ACTOR } from '../access-checker.ts';
import { changed, rekeyed, worker } from '../bug-parts.ts';
import { type Given, pick } from '../commands.ts';
import type { IsolationHarness } from '../harness.ts';
import type { Operation } from '../operation.ts';
import { addDeniedChannels, changeAccess } from '../denied-channels.ts';
import * as discordActor from '../discord-actor.ts';
import * as discord from '../discord-operations.ts';
import { someNotes, wordsIn } from '../media-operations.ts';
import { slackName } from '../observe-platforms.ts';
import { someOperation } from '../operations.ts';
import * as slackActor from '../slack-actor.ts';
import * as slack from '../slack-operations.ts';
import { menu } from '../../simulators/discord/interaction-payloads.ts';
import { asking, everyAdmin, type Feature, type MakeOperation, typing } from './feature.ts';

const knowledge = (options: Given['options']): Given => ({
  name: 'knowledge',
  options,
  operation: 'knowledge',
});

/** Knowledge is on in each tenant. */
async function setUp(
  harness: IsolationHarness,
  perform: (operation: Operation) => Promise<void>,
): Promise<void> {
  addDeniedChannels(harness);
  for (const type of everyAdmin(harness)) {
    const operation = type(() => ({
      name: 'tools',
      options: { do: 'on', what: 'knowledge', for: 'workspace' },
      operation: 'tools',
    }));
    if (operation) await perform(operation);
  }
}

/** Adds a page, whose text only its channel may read. */
const add: MakeOperation = (harness) =>
  typing(() => knowledge({ do: 'add', what: `https://docs.example.com/${harness.nextId()}` }))(harness);

/** Removes a page that somebody added, often somewhere else, or all of them. */
const remove: MakeOperation = (harness) => {
  const page = pick(harness.random, harness.tools.pages.slice(-20)) ?? '';
  return typing(({ random }) => knowledge({ do: 'remove', what: random() < 0.2 ? 'all' : page }))(harness);
};

/** Asks with a text file, which somebody may then add. */
const askWithNotes: MakeOperation = (harness) =>
  harness.random() < 0.6 ? slack.say(harness, someNotes) : discord.say(harness, someNotes);

const exportMe: MakeOperation = typing(() => ({
  name: 'export',
  options: { what: 'me' },
  operation: 'export me',
}));

/** The name of the operation. */
const ADD = 'knowledge of a message';

/** Adds the text of a message, or its files, to the knowledge of its channel. */
const addMessage: MakeOperation = (harness) =>
  harness.random() < 0.6 ? addSlackMessage(harness) : addDiscordMessage(harness);

function addSlackMessage(harness: IsolationHarness): Operation | undefined {
  const at = slackActor.pickActor(harness);
  const { of, user, channel } = at;
  const messages = slackActor.messagesIn(at).filter((one) => one.ephemeralTo === undefined && !one.tombstone);
  const message = pick(harness.random, messages.slice(-discordActor.RECENT));
  if (!message) return undefined;
  const { ts, thread } = message;
  const actor = { ...slackActor.actorOf(harness, at, ADD, thread ?? ts), addedMessage: ts };
  const text = JSON.stringify(message) + wordsIn(of.sim.state.files, message.files);
  harness.addedMessages.add(actor, slackName(of.tenant, channel, ts), text);
  const payload = of.sim.shortcut(user, 'knowledge', ts, channel);
  return { actor, act: slackActor.posting(harness, actor, slackActor.asForm(payload)), detail: ts };
}

function addDiscordMessage(harness: IsolationHarness): Operation | undefined {
  const at = discordActor.pickActor(harness);
  const messages = discordActor
    .messagesIn(harness, at.channel)
    .filter(({ ephemeralTo }) => ephemeralTo === undefined);
  const message = pick(harness.random, messages.slice(-discordActor.RECENT));
  if (!message) return undefined;
  const { id } = message;
  const conversation = harness.conversations.get(id) ?? id;
  const actor = { ...discordActor.actorOf(harness, at, ADD, conversation), addedMessage: id };
  return discordActor.attempted(() => {
    const request = menu(harness.discord.context, at.user, message, 'Add to knowledge');
    const text = JSON.stringify(message) + wordsIn(harness.discord.state.files, message.files);
    harness.addedMessages.add(actor, id, text);
    const payload = discordActor.inChat(request.payload, at);
    return { actor, act: discordActor.interacting(harness, actor, request, payload), detail: id };
  });
}

const SHARED = channelId('C0SHARED00');

/** Documents of channels: where they are found, and who removes them. */
export const KNOWLEDGE: Feature = {
  setUp,
  operations: [
    [16, add],
    [14, addMessage],
    [8, askWithNotes],
    [8, remove],
    [4, typing(() => knowledge({ do: 'list' }))],
    [5, exportMe],
    [2, changeAccess],
    [30, asking],
    [13, someOperation],
  ],
  bugs: [
    {
      name: 'documents of all channels in one collection',
      ground: rekeyed((pk) => pk.replace(/^(KNOWLEDGE#slack#[^#]+)#.*/u, '$1#C0SHARED00')),
    },
    {
      name: 'everybody may remove documents',
      system: worker(({ collections }) => ({
        collections: changed(collections, 'list', async (place) => {
          const { ready, unfinished } = await collections.list(place);
          const user = ACTOR.getStore()?.user ?? '';
          return { ready: ready.map((one) => ({ ...one, by: userId(user) })), unfinished };
        }),
      })),
    },
    {
      name: 'a message in the knowledge belongs to whoever added it',
      system: worker(({ collections }) => ({
        collections: changed(collections, 'save', (place, document, ...of) => {
          const by = userId(ACTOR.getStore()?.user ?? document.by);
          return collections.save(place, { ...document, by }, ...of);
        }),
      })),
    },
    {
      name: 'an export has the passages of the whole channel',
      system: worker(({ collections, exporter }) => ({
        exporter: changed(exporter, 'page', async (scope, from) => {
          const page = await exporter.page(scope, from);
          const { tenant, channel } = ACTOR.getStore() ?? { tenant: '', channel: '' };
          const place = {
            platform: scope.platform,
            workspace: workspaceId(tenant),
            channel: channelId(channel),
          };
          const { ready } = await collections.list(place);
          const passages = await Promise.all(ready.map(({ id }) => collections.findPassage(place, id, 0)));
          return { ...page, entries: [...page.entries, { passages }] };
        }),
      })),
    },
    {
      name: 'the knowledge of another channel is searched',
      system: worker(({ collections, toolSources }) => ({
        toolSources: [
          createKnowledgeTools({
            collections: {
              ...collections,
              hasDocuments: (place) => collections.hasDocuments({ ...place, channel: SHARED }),
              list: (place) => collections.list({ ...place, channel: SHARED }),
              findTerms: (place, ...of) => collections.findTerms({ ...place, channel: SHARED }, ...of),
              findPassage: (place, ...of) => collections.findPassage({ ...place, channel: SHARED }, ...of),
              save: (...of) => collections.save(...of),
              remove: (...of) => collections.remove(...of),
              removeMessage: (...of) => collections.removeMessage(...of),
              removeThread: (...of) => collections.removeThread(...of),
              removeAll: (...of) => collections.removeAll(...of),
            },
          }),
          ...toolSources.slice(1),
        ],
      })),
    },
  ],
};
