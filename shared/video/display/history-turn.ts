import type { Turn } from '../../domain/index.ts';
import { getOperation, getOwnPrompt, type Job, type MediaOperation } from '../jobs/index.ts';
import { formatPrice } from './labels.ts';

/** How the history words the request of an operation, in English, since only models read it. */
const REQUESTS: Readonly<Record<MediaOperation, string>> = {
  'image-to-video': 'Animate this picture',
  'text-to-image': 'Make a picture',
  edit: 'Edit this picture',
  'text-to-video': 'Make a video',
};

/** Builds the turn by which the history of a thread mentions a result. */
export function buildHistoryTurn(job: Job): Omit<Turn, 'message'> {
  const { picture, model, price } = job;
  const operation = getOperation(job);
  // Words of others stay in their own turns, and are erased with them.
  const prompt = getOwnPrompt(job);
  const facts = `${prompt === undefined ? '' : `Prompt: ${prompt}. `}Model: ${model}, ${formatPrice(price, 'en')}.`;
  const text = `${describeResult(operation, picture?.name)} and put it into the thread. ${facts}`;
  return {
    question: prompt === undefined ? `${REQUESTS[operation]} again` : `${REQUESTS[operation]}: ${prompt}`,
    ...(picture && { pictures: [picture] }),
    outcome: { kind: 'answered', text, finish: 'stop', model },
  };
}

function describeResult(operation: MediaOperation, name = ''): string {
  switch (operation) {
    case 'image-to-video':
      return `I made a video of the picture “${name}”`;
    case 'edit':
      return `I edited the picture “${name}”`;
    case 'text-to-image':
      return 'I made a picture';
    case 'text-to-video':
      return 'I made a video';
  }
}
