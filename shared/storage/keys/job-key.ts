import type { JobId } from '../../video/jobs/index.ts';
import type { Key } from './turn-keys.ts';

/** The prefix of job partitions and of job pointers. */
export const VIDEO = 'VIDEO#';
const JOB = 'JOB#';

export function jobKey(id: JobId): Key {
  const [personHash = '', requestHash = ''] = id.split('-');
  return { pk: { S: VIDEO + personHash }, sk: { S: JOB + requestHash } };
}
