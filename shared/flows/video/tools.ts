import { isPicture, type Attachment, type MessageId, type TurnRef } from '../../conversation/index.ts';
import type { Job } from '../../jobs/index.ts';
import { DEFAULT_VALUES, resolve } from '../../settings/index.ts';
import { type Locale, say } from '../../texts/index.ts';
import { ConditionFailed } from '../../store/index.ts';
import type { Video } from '../../upstream/index.ts';
import { propose } from './animate.ts';
import type { Deps } from '../ports.ts';
import { type FlowTool, ToolFailed, type ToolResult } from '../tools.ts';
import { jobCard } from './card.ts';
import { lookUpVideo } from './look-up.ts';
import { LONGEST_PROMPT } from '../commands/video-form.ts';
import { price } from './words.ts';

/** A picture of the thread, and the message that holds it. */
export type Seen = { readonly picture: Attachment; readonly message: MessageId };

/** Cards that one question may put into its thread, whatever a file or a message talks the model into. */
const MOST_PROPOSED = 3;

/** What the model may do about videos: propose one of a picture it has seen here, look one up. */
export function videoTools(turn: TurnRef, seen: readonly Seen[], deps: Deps): readonly FlowTool[] {
  const off = (resolve('video', deps.settings.layers).value ?? DEFAULT_VALUES.video) === 'off';
  if (!deps.videos || off) return [];
  const pictures = seen.filter(({ picture }) => isPicture(picture));
  return pictures.length > 0 ? [startVideo(turn, pictures, deps), lookUp(turn, deps)] : [lookUp(turn, deps)];
}

function startVideo(turn: TurnRef, pictures: readonly Seen[], deps: Deps): FlowTool {
  const names = [...new Set(pictures.map(({ picture }) => picture.name))];
  let left = MOST_PROPOSED;
  return {
    definition: {
      name: 'start_video',
      description:
        'Proposes to make a short video from a picture of this thread, when the person asks for one. It costs money: a card shows the person the price, and nothing is made before they press its button. To change an earlier video, repeat its prompt with the change.',
      parameters: {
        type: 'object',
        properties: {
          prompt: {
            type: 'string',
            description: `What moves and how, what the camera does. In English, vivid, at most ${LONGEST_PROMPT} characters`,
          },
          picture: { type: 'string', enum: names, description: 'The newest, if it is left out' },
        },
        required: ['prompt'],
      },
    },
    prepare: ({ prompt, picture: name }, locale) => {
      if (typeof prompt !== 'string' || prompt.trim() === '')
        throw new ToolFailed('“prompt” has to be words.');
      const chosen = pictures.findLast(({ picture }) => name === undefined || picture.name === name);
      if (!chosen) throw new ToolFailed(`There is no such picture. There are: ${names.join(', ')}.`);
      left -= 1;
      if (left < 0) throw new ToolFailed(`${MOST_PROPOSED} are proposed already: let the person choose.`);
      return {
        title: say(locale, 'answers.tool.proposing'),
        status: ['answers.status.proposing'],
        run: () => proposed(turn, { ...chosen, prompt, locale }, deps),
      };
    },
  };
}

/** Shows what the model would have made, with its price and a button: the person agrees, not the model. */
async function proposed(
  turn: TurnRef,
  { prompt, locale, ...seen }: Seen & { readonly prompt: string; readonly locale: Locale },
  deps: Deps,
): Promise<ToolResult> {
  const { thread, message, asker: user, askerWorkspace: workspace } = turn;
  const known = await deps.people?.(thread, user);
  const admin = known?.admin ?? (await deps.standing?.(thread, user))?.admin === true;
  const outcome = await propose(
    {
      wish: `tool-${message}-${prompt}`,
      by: { platform: thread.platform, workspace, user },
      admin,
      locale,
      thread,
      asked: await holderOf(turn, seen, deps),
      picture: seen.picture,
      prompt,
    },
    deps,
  );
  if (outcome.kind === 'refused') throw new ToolFailed(outcome.sentence, outcome.sentence);
  const { job } = outcome;
  if (job.state === 'proposed' && job.card === undefined) await showProposal(job, deps);
  return {
    content: `A card with this prompt, the price (${price(job.price, 'en')}) and a button is in the thread now. Nothing is made, and nothing spent, before the person presses the button. Tell them so in a sentence; do not say that the video is being made.`,
    summary: price(job.price, locale),
  };
}

async function showProposal(job: Job, { videos, stage }: Deps): Promise<void> {
  const card = await stage.card(job.thread, jobCard(job), `video-${job.id}`);
  await videos?.jobs.save(job, { card }).catch((error: unknown) => {
    // The button was pressed at once: the card is found by its key.
    if (!(error instanceof ConditionFailed)) throw error;
  });
}

/** The message that holds the picture: a video's own message stands in the history with the picture it was made of. */
async function holderOf(
  { thread }: TurnRef,
  { picture, message }: Seen,
  { videos }: Deps,
): Promise<MessageId> {
  const jobs = (await videos?.jobs.inThread(thread)) ?? [];
  return (
    jobs.find(({ posted, picture: { id } }) => posted === message && id === picture.id)?.asked ?? message
  );
}

function lookUp({ thread }: Pick<TurnRef, 'thread'>, deps: Deps): FlowTool {
  return {
    definition: {
      name: 'look_up_video',
      description:
        'Tells what is known of a stored video: how far its indexing is, size, length, a link to play it.',
      parameters: {
        type: 'object',
        properties: { id: { type: 'string', description: 'The id of the video' } },
        required: ['id'],
      },
    },
    prepare: ({ id }, locale) => {
      if (typeof id !== 'string' || id.trim() === '')
        throw new ToolFailed('“id” has to be the id of a video.');
      return {
        title: say(locale, 'answers.tool.looking-up'),
        status: ['answers.status.looking-up'],
        run: async () => told(await lookUpVideo(id, thread, deps), locale),
      };
    },
  };
}

function told(video: Video | undefined, locale: Locale): ToolResult {
  if (!video) {
    const summary = say(locale, 'answers.tool.found', { count: 0 });
    return { content: 'There is no video of that id.', summary };
  }
  const { videoId, url, indexingStatus, indexingType, metadata } = video;
  const known = { videoId, url, indexingStatus, indexingType, metadata };
  return {
    content: JSON.stringify(known).slice(0, 4_000).toWellFormed(),
    summary: indexingStatus ?? videoId,
  };
}
