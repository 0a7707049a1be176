import type { Card, Thread } from '../../conversation/index.ts';
import { type Locale, say } from '../../texts/index.ts';
import { UpstreamError, type Video } from '../../upstream/index.ts';
import type { Deps } from '../ports.ts';

const LONGEST_ID = 200;

/** What the service knows of a stored video, asked by the workspace's key; undefined if it knows none of that id. */
export async function lookUpVideo(
  id: string,
  home: Pick<Thread, 'platform' | 'workspace'>,
  { videos }: Pick<Deps, 'videos'>,
): Promise<Video | undefined> {
  if (!videos) return undefined;
  try {
    return await videos.vision(await videos.keyOf(home)).video(id.trim().slice(0, LONGEST_ID));
  } catch (error) {
    if (error instanceof UpstreamError && error.kind === 'not-found') return undefined;
    throw error;
  }
}

/** A stored video as people are shown it. */
export function videoCard(
  { videoId, url, indexingStatus, indexingType, metadata = {} }: Video,
  locale: Locale,
): Card {
  const { width, height, duration, avgFps, thumbnail, thumbnails, title, videoName } = metadata;
  const facts = [
    ['indexing', [indexingStatus, indexingType].filter(Boolean).join(', ')],
    ['size', width && height ? `${width} × ${height}` : ''],
    ['length', duration === undefined ? '' : say(locale, 'video.took.seconds', { seconds: duration })],
    ['rate', avgFps === undefined ? '' : String(avgFps)],
  ] as const;
  const fields = facts.flatMap(([name, value]) =>
    value ? [{ name: say(locale, `video.known.${name}`), value }] : [],
  );
  const links = [
    `[${say(locale, 'video.known.play')}](${url})`,
    ...(thumbnails ? [`[${say(locale, 'video.known.storyboard')}](${thumbnails})`] : []),
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
