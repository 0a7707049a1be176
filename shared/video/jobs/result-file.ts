import { getOperation, type Job } from './job.ts';
import { makesPicture } from './media-models.ts';

const PICTURE_EXTENSIONS: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'image/gif': 'gif',
};

const VIDEO_EXTENSIONS: Readonly<Record<string, string>> = {
  'video/webm': 'webm',
  'video/x-matroska': 'mkv',
  'video/quicktime': 'mov',
};

/** Returns the type of a video by its first bytes; undefined if it is no video. The type that a service states may be wrong. */
export function detectVideoType(start: Uint8Array): string | undefined {
  const text = String.fromCharCode(...start.subarray(0, 64));
  if (start.length >= 12 && text.startsWith('ftyp', 4))
    return text.startsWith('qt  ', 8) ? 'video/quicktime' : 'video/mp4';
  if (!text.startsWith('\x1a\x45\xdf\xa3')) return undefined;
  return text.includes('matroska') ? 'video/x-matroska' : 'video/webm';
}

/**
 * Returns the name of the file that a job makes: the same for the same job, so that its upload is found by it. Videos that earlier
 * versions stored have no type.
 */
export function getResultFileName(job: Pick<Job, 'operation' | 'mimetype'>): string {
  const { mimetype = '' } = job;
  return makesPicture(getOperation(job))
    ? `picture.${PICTURE_EXTENSIONS[mimetype] ?? 'png'}`
    : `video.${VIDEO_EXTENSIONS[mimetype] ?? 'mp4'}`;
}
