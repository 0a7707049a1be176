import { getOperation, type Job } from './job.ts';
import { makesPicture } from './media-models.ts';

const PICTURE_EXTENSIONS: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'image/gif': 'gif',
};

/** Returns the name of the file that a job makes: the same for the same job, so that its upload is found by it. */
export function getResultFileName(job: Pick<Job, 'operation' | 'mimetype'>): string {
  return makesPicture(getOperation(job))
    ? `picture.${PICTURE_EXTENSIONS[job.mimetype ?? ''] ?? 'png'}`
    : 'video.mp4';
}
