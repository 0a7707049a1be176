import { tokenOf } from '../soak/models.ts';
import type { Deployment } from './deployment.ts';
import { askInSlack, type DeploymentScript, deploymentStory, isUndisturbed } from './deployment-story.ts';
import { PAGE } from './faulty-tracker.ts';
import { type, untilDone } from './person-actions.ts';
import type { SeededBug } from './seeded-bugs.ts';
import type { Story } from './story.ts';

const itemsIn = ({ memory }: Deployment) =>
  memory.items('conversations').filter(({ pk }) => pk?.S?.startsWith('KNOWLEDGE#'));
/** Without the keys that removed documents leave. */
const documentsIn = (harness: Deployment) =>
  itemsIn(harness).filter(({ sk, title }) => sk?.S?.startsWith('DOC#') && title !== undefined);
const partsIn = (harness: Deployment) => itemsIn(harness).filter(({ body }) => body !== undefined);

/** The parts of the documents that questions find which are not stored. Of each document there are 4 passages in an item, and its index. */
function missingIn(harness: Deployment): string[] {
  const keys = itemsIn(harness).map(({ sk }) => sk?.S ?? '');
  return documentsIn(harness).flatMap(({ sk, ready }) => {
    const id = sk?.S?.slice('DOC#'.length) ?? '';
    const isWhole = ['TEXT#', 'TERMS#'].every((part) =>
      keys.some((key) => key.startsWith(part) && key.includes(id)),
    );
    return ready?.BOOL !== true || isWhole ? [] : [`${id} is found before it is stored`];
  });
}

/** What was seen during a run. */
const seen = new WeakMap<Deployment, string[]>();

async function look(harness: Deployment, ms: number): Promise<void> {
  const problems = seen.get(harness) ?? [];
  seen.set(harness, problems);
  for (let passed = 0; passed < ms; passed += LOOK_EVERY_MS) {
    await harness.pass(LOOK_EVERY_MS);
    problems.push(...missingIn(harness));
  }
}

const LOOK_EVERY_MS = 5_000;

/** A person adds a page to the knowledge of the channel, asks about it, and removes it. */
const KNOWLEDGE: DeploymentScript = {
  features: { tools: ['knowledge'] },
  act: async (harness) => {
    await untilDone(
      () => documentsIn(harness).some(({ ready }) => ready?.BOOL === true),
      async () => {
        await type(harness, 'knowledge add https://docs.example.com/refunds');
        await look(harness, 60_000);
      },
    );
    await askInSlack(harness, 0, 1);
    await look(harness, 60_000);
    await untilDone(
      () => documentsIn(harness).length === 0,
      async () => {
        await type(harness, `knowledge remove ${PAGE.title}`);
        await look(harness, 60_000);
      },
    );
  },
  answered: [tokenOf(1, 0, 0)],
  wrong: (harness) => {
    const left = documentsIn(harness).length;
    const parts = partsIn(harness).length;
    const isPrompted = harness.prompts.some((prompt) => prompt.includes('Refunds of kind'));
    return [
      ...new Set(seen.get(harness)),
      ...(left === 0 || !isUndisturbed(harness) ? [] : ['the document is not removed']),
      ...(left === 0 && parts > 0 && !harness.hasDeadLetters
        ? [`${parts} parts of a removed document are left`]
        : []),
      ...(isUndisturbed(harness) && !isPrompted ? ['the passage is not in the prompt'] : []),
    ];
  },
};

export const KNOWLEDGE_STORIES: readonly Story[] = [deploymentStory('knowledge', KNOWLEDGE)];

/** The story that detects a bug of this kind, with the bug or without. */
export const knowledgeBug = (bug: SeededBug, isSeeded: boolean): Story | undefined =>
  bug === 'an unfinished document is found'
    ? deploymentStory(`bug-${bug}`, KNOWLEDGE, isSeeded ? bug : undefined)
    : undefined;
