import { workspaceId } from '../../shared/domain/index.ts';
import { pressable } from '../simulators/slack/block-ids.ts';
import { blocksOf } from '../simulators/slack/present.ts';
import type { Message } from '../simulators/slack/state.ts';
import { tokenOf } from '../soak/models.ts';
import type { Deployment } from './deployment.ts';
import {
  askInSlack,
  type DeploymentScript,
  deploymentStory,
  hasLatePost,
  isCard,
  isUndisturbed,
  PERSON,
  tenantOf,
} from './deployment-story.ts';
import { TRACKER } from './faulty-tracker.ts';
import type { SeededBug } from './seeded-bugs.ts';
import type { Story } from './story.ts';

/** The person looks at the card this often, and at most so many times. */
const LOOK_EVERY_MS = 30_000;
const MAX_LOOKS = 40;

const cardsIn = ({ sim }: ReturnType<typeof tenantOf>): Message[] =>
  [...(sim.state.messages.get(sim.channel)?.values() ?? [])].filter((message) => isCard(message, 'tool-'));

const offersRun = (card: Message): boolean => JSON.stringify(card.blocks).includes('tools.run');

/** Presses a button of the card, if it is there. */
async function pressOn(harness: Deployment, card: Message, label: string): Promise<void> {
  const { sim } = tenantOf(harness, 0);
  const button = pressable(blocksOf(card)).find(({ json }) => JSON.stringify(json).includes(label));
  if (!button) return;
  const payload = JSON.stringify(sim.press(sim.identity.users[PERSON]?.id ?? '', card.ts, label));
  await harness.slackForm({ payload });
}

/** A person asks for an issue, and presses Run: twice at once at first, as with a double click, and again while the card offers it. */
const RUN_CARD: DeploymentScript = {
  features: { tools: ['tracker'] },
  act: async (harness) => {
    const tenant = tenantOf(harness, 0);
    const { servers } = harness.system().context.toolServers;
    await servers.add({ platform: 'slack', workspace: workspaceId(tenant.tenant) }, TRACKER);
    await askInSlack(harness, 0, 1);
    for (let looks = 0; looks < MAX_LOOKS; looks += 1) {
      await harness.pass(LOOK_EVERY_MS);
      const cards = cardsIn(tenant);
      if (cards.length > 0 && !cards.some(offersRun)) return;
      for (const card of cards.filter(offersRun)) {
        await pressOn(harness, card, 'Run');
        if (looks === 0) await pressOn(harness, card, 'Run');
      }
      await harness.sweep();
    }
  },
  answered: [tokenOf(1, 0, 0)],
  wrong: (harness) => {
    const { issues } = harness.tracker;
    const cards = cardsIn(tenantOf(harness, 0));
    const text = JSON.stringify(cards.map(({ blocks }) => blocks));
    const isWhole = isUndisturbed(harness);
    const logged = harness.memory.items('conversations').filter(({ pk }) => pk?.S?.startsWith('TOOLLOG#'));
    return [
      ...(issues.length <= 1 ? [] : [`the call ran ${issues.length} times`]),
      ...(cards.length <= 1 || hasLatePost(harness) ? [] : [`${cards.length} cards`]),
      // Without a table or Slack there is no card: the model is told, and answers.
      ...(cards.length === 0 && issues.length > 0 ? ['it ran without a card'] : []),
      ...(cards.some(offersRun) && !hasLatePost(harness) ? ['the person cannot tell whether it ran'] : []),
      ...(text.includes('Created ISS-1.') && issues.length === 0 ? ['the card shows what did not run'] : []),
      ...(isWhole && !text.includes('Created ISS-1.') ? ['the card does not show the result'] : []),
      ...(isWhole && logged.length !== 2 ? [`${logged.length} calls in the log`] : []),
    ];
  },
};

/** A person asks, and the model searches the web before it answers. */
const WEB_SEARCH: DeploymentScript = {
  features: { tools: ['search'] },
  act: (harness) => askInSlack(harness, 0, 1),
  answered: [tokenOf(1, 0, 0)],
  wrong: (harness) =>
    isUndisturbed(harness) && harness.search.queries.length !== 1
      ? [`${harness.search.queries.length} searches`]
      : [],
};

export const TOOL_STORIES: readonly Story[] = [
  deploymentStory('tool-card', RUN_CARD),
  deploymentStory('web-search', WEB_SEARCH),
];

/** The story that detects a bug of this kind, with the bug or without. */
export const toolBug = (bug: SeededBug, isSeeded: boolean): Story | undefined =>
  bug === 'an interrupted call is repeated'
    ? deploymentStory(`bug-${bug}`, RUN_CARD, isSeeded ? bug : undefined)
    : undefined;
