import { createHmac } from 'node:crypto';
import { bytesOf } from '../send-file.ts';
import type { FileRecord } from './state.ts';
import type { SimulatorContext } from './context.ts';

/** The lifetime of a file URL; Discord says "preset expiry time", people observe a day. */
export const LINK_TTL_MS = 86_400_000;

/** A new URL of a file: `ex` and `is` are hex seconds, `hm` signs them. */
export function addressOf(context: SimulatorContext, file: FileRecord): string {
  const issued = Math.floor(context.now() / 1000);
  const ends = issued + LINK_TTL_MS / 1000;
  const path = pathOf(file);
  const [is, ex] = [issued.toString(16), ends.toString(16)];
  return `${context.cdnUrl()}${path}?ex=${ex}&is=${is}&hm=${signatureOf(context, path, ex, is)}&`;
}

/** The file of a URL; undefined if the URL is malformed, unsigned or expired. */
export function fileAt(
  context: SimulatorContext,
  url: URL,
): { file: FileRecord; content: Buffer } | undefined {
  const id = /^\/(?:ephemeral-)?attachments\/\d+\/(\d+)\//.exec(url.pathname)?.[1] ?? '';
  const entry = context.state.files.get(id);
  const [ex, is, hm] = ['ex', 'is', 'hm'].map((name) => url.searchParams.get(name) ?? '');
  if (!entry || ex === undefined || is === undefined || pathOf(entry.file) !== url.pathname) return undefined;
  if (hm !== signatureOf(context, url.pathname, ex, is)) return undefined;
  if (Number.parseInt(ex, 16) * 1000 <= context.now()) return undefined;
  return { file: entry.file, content: bytesOf(entry) };
}

export const isCdnPath = (path: string): boolean => /^\/(?:ephemeral-)?attachments\//.test(path);

const pathOf = ({ id, channel, filename, ephemeral }: FileRecord): string =>
  `/${ephemeral ? 'ephemeral-' : ''}attachments/${channel}/${id}/${encodeURIComponent(filename)}`;

const signatureOf = ({ cdnKey }: SimulatorContext, path: string, ex: string, is: string): string =>
  createHmac('sha256', cdnKey).update(`${path}?${ex}&${is}`).digest('hex');
