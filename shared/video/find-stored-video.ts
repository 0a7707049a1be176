import type { VideoContext } from './context.ts';
import { type Card, textCard, type Thread } from '../domain/index.ts';
import { describeFailure } from '../chat/index.ts';
import { type Locale, localize } from '../i18n/index.ts';
import { UpstreamError, type Video } from '../upstream/index.ts';

const MAX_ID_LENGTH = 200;

/** Returns a stored video, read with the workspace's API key; undefined if there is none with this id. */
export async function findStoredVideo(
  id: string,
  home: Pick<Thread, 'platform' | 'workspace'>,
  { videos }: Pick<VideoContext, 'videos'>,
): Promise<Video | undefined> {
  if (!videos.enabled) return undefined;
  try {
    return await videos.vision(await videos.keyOf(home)).video(id.trim().slice(0, MAX_ID_LENGTH));
  } catch (error) {
    // Some services reject an id of another form.
    if (error instanceof UpstreamError && (error.kind === 'not-found' || error.kind === 'bad-request'))
      return undefined;
    throw error;
  }
}

/** Returns the card of a stored video, or one that says why there is none. */
export async function lookUpVideo(
  id: string,
  home: Pick<Thread, 'platform' | 'workspace'>,
  locale: Locale,
  context: Pick<VideoContext, 'videos' | 'time' | 'settings'>,
): Promise<Card> {
  if (!context.videos.enabled) return textCard(localize(locale, 'video.not-here'), 'bad');
  try {
    const video = await findStoredVideo(id, home, context);
    return video ? createVideoCard(video, locale) : textCard(localize(locale, 'video.unknown'), 'bad');
  } catch (error) {
    const recipient = { now: context.time.now(), zone: context.settings.zone, locale };
    const failure = describeFailure(error, { ...recipient, service: 'video' });
    if (!failure) throw error;
    return textCard(failure.sentence, 'bad');
  }
}

/** Builds the card of a stored video. */
export function createVideoCard(
  { videoId, url, indexingStatus, indexingType, metadata = {} }: Video,
  locale: Locale,
): Card {
  const { width, height, duration, avgFps, thumbnail, thumbnails, title, videoName } = metadata;
  const facts = [
    ['indexing', [indexingStatus, indexingType].filter(Boolean).join(', ')],
    ['size', width && height ? `${width} × ${height}` : ''],
    ['length', duration === undefined ? '' : localize(locale, 'video.took.seconds', { seconds: duration })],
    ['rate', avgFps === undefined ? '' : avgFps.toLocaleString(locale, { maximumFractionDigits: 2 })],
  ] as const;
  const fields = facts.flatMap(([name, value]) =>
    value ? [{ name: localize(locale, `video.known.${name}`), value }] : [],
  );
  const links = [
    `[${localize(locale, 'video.known.play')}](${url})`,
    ...(thumbnails ? [`[${localize(locale, 'video.known.storyboard')}](${thumbnails})`] : []),
  ];
  return {
    title: title ?? videoName ?? videoId,
    parts: [
      { kind: 'fields', fields },
      ...(thumbnail?.startsWith('https://')
        ? [{ kind: 'image' as const, url: thumbnail, alt: videoId }]
        : []),
      { kind: 'text', markdown: links.join(' · ') },
      { kind: 'note', markdown: `\`${videoId}\`` },
    ],
  };
}
