import { channelId, userId } from '../../../shared/domain/index.ts';
import { createKnowledgeTools } from '../../../shared/knowledge/index.ts';
import { ACTOR } from '../access-checker.ts';
import { changed, rekeyed, worker } from '../bug-parts.ts';
import { type Given, pick } from '../commands.ts';
import type { IsolationHarness } from '../harness.ts';
import type { Operation } from '../operation.ts';
import { someOperation } from '../operations.ts';
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

const SHARED = channelId('C0SHARED00');

/** Documents of channels: where they are found, and who removes them. */
export const KNOWLEDGE: Feature = {
  setUp,
  operations: [
    [24, add],
    [10, remove],
    [5, typing(() => knowledge({ do: 'list' }))],
    [45, asking],
    [16, someOperation],
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
