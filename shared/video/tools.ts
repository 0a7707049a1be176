import type { VideoContext } from './context.ts';
import { isPicture, type MessageId, threadKey, toRequestedPicture, type TurnRef } from '../domain/index.ts';
import { MAX_PROMPT_LENGTH } from './jobs/index.ts';
import { DEFAULT_VALUES, resolve } from '../settings/rules/index.ts';
import { type ChatTool, type ThreadPicture, ToolError, type ToolResult } from '../ports/index.ts';
import { type Locale, localize } from '../i18n/index.ts';
import type { Video } from '../upstream/index.ts';
import { findPolicyRefusal } from './propose-job.ts';
import { proposeOnCard } from './propose-on-card.ts';
import type { EnabledVideoContext } from './job-card-updates.ts';
import { findStoredVideo } from './find-stored-video.ts';
import { createLibraryTools } from './library/library-tools.ts';
import { formatPrice } from './display/labels.ts';

/** Proposal cards per question: a limit against prompt injection. */
const MAX_PROPOSALS = 3;

/** Returns the video tools: propose a video from a picture in the prompt, look up a stored video, use the library. */
export function createVideoTools(
  turn: TurnRef,
  threadPictures: readonly ThreadPicture[],
  context: VideoContext,
): readonly ChatTool[] {
  const isOff = (resolve('video', context.settings.layers).value ?? DEFAULT_VALUES.video) === 'off';
  const { videos } = context;
  if (!videos.enabled || isOff) return [];
  const pictures = threadPictures.filter(({ picture }) => isPicture(picture));
  const enabled = { ...context, videos };
  return [
    ...(pictures.length > 0 && videos.animates ? [startVideoTool(turn, pictures, enabled)] : []),
    lookUpTool(turn, context),
    ...createLibraryTools(turn, pictures, {
      ...enabled,
      findRefusal: async (locale) =>
        findPolicyRefusal({ admin: await isAdmin(turn, context), locale }, context),
    }),
  ];
}

function startVideoTool(
  turn: TurnRef,
  pictures: readonly ThreadPicture[],
  context: EnabledVideoContext,
): ChatTool {
  const names = [...new Set(pictures.map(({ picture }) => picture.name))];
  let left = MAX_PROPOSALS;
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
            description: `What moves and how, what the camera does. In English, vivid, at most ${MAX_PROMPT_LENGTH} characters`,
          },
          picture: { type: 'string', enum: names, description: 'The newest, if it is left out' },
        },
        required: ['prompt'],
      },
    },
    prepare: ({ prompt, picture: name }, locale) => {
      if (typeof prompt !== 'string' || prompt.trim() === '')
        throw new ToolError('“prompt” has to be words.');
      const chosen = pictures.findLast(({ picture }) => name === undefined || picture.name === name);
      if (!chosen) throw new ToolError(`There is no such picture. There are: ${names.join(', ')}.`);
      left -= 1;
      if (left < 0) throw new ToolError(`${MAX_PROPOSALS} are proposed already: let the person choose.`);
      return {
        title: localize(locale, 'answers.tool.proposing'),
        status: ['answers.status.proposing'],
        run: () => proposeVideo(turn, { ...chosen, prompt, locale }, context),
      };
    },
  };
}

/** Creates a proposal card with the price and a button: the person confirms, not the model. */
async function proposeVideo(
  turn: TurnRef,
  { prompt, locale, ...source }: ThreadPicture & { readonly prompt: string; readonly locale: Locale },
  context: EnabledVideoContext,
): Promise<ToolResult> {
  const { thread, message, asker: user, askerWorkspace: workspace } = turn;
  const admin = await isAdmin(turn, context);
  const outcome = await proposeOnCard(
    {
      // A guest's home workspace and the message id are the same in every workspace that shares the channel.
      requestKey: `tool-${threadKey(thread)}-${message}-${prompt}`,
      by: { platform: thread.platform, workspace, user },
      admin,
      locale,
      thread,
      requestMessage: await findPictureMessage(turn, source, context),
      picture: toRequestedPicture(source.picture, source.picture.origin, user),
      prompt,
    },
    context,
  );
  if (outcome.kind === 'refused') throw new ToolError(outcome.sentence, outcome.sentence);
  const { job } = outcome;
  return {
    content: `A card with this prompt, the price (${formatPrice(job.price, 'en')}) and a button is in the thread now. Nothing is made, and nothing spent, before the person presses the button. Tell them so in a sentence; do not say that the video is being made.`,
    summary: formatPrice(job.price, locale),
  };
}

async function isAdmin({ thread, asker }: TurnRef, context: VideoContext): Promise<boolean> {
  const { admin } = await context.userProfile(thread, asker);
  return admin ?? (await context.memberRoles(thread, asker)).admin;
}

/** Returns the message with the picture. In the history, a video's message contains the picture it was made from. */
async function findPictureMessage(
  { thread }: TurnRef,
  { picture, message }: ThreadPicture,
  { videos }: EnabledVideoContext,
): Promise<MessageId> {
  const jobs = await videos.jobs.listByThread(thread);
  return (
    jobs.find((job) => job.posted === message && job.picture?.id === picture.id)?.requestMessage ?? message
  );
}

function lookUpTool({ thread }: Pick<TurnRef, 'thread'>, context: VideoContext): ChatTool {
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
        throw new ToolError('“id” has to be the id of a video.');
      return {
        title: localize(locale, 'answers.tool.looking-up'),
        status: ['answers.status.looking-up'],
        run: async () => toolReply(await findStoredVideo(id, thread, context), locale),
      };
    },
  };
}

function toolReply(video: Video | undefined, locale: Locale): ToolResult {
  if (!video) {
    const summary = localize(locale, 'answers.tool.found', { count: 0 });
    return { content: 'There is no video of that id.', summary };
  }
  const { videoId, url, indexingStatus, indexingType, metadata } = video;
  const known = { videoId, url, indexingStatus, indexingType, metadata };
  return {
    content: JSON.stringify(known).slice(0, 4_000).toWellFormed(),
    summary: indexingStatus ?? videoId,
  };
}
