/** What is true of the film that every video is. */
export const CLIP = {
  width: 160,
  height: 96,
  avg_fps: 10,
  duration: 3,
  video_name: 'clip.mp4',
  title: null,
  video_start_timestamp_utc_ms: null,
  thumbnail: null,
  thumbnails: null,
  description: null,
  source: null,
} as const;

export { clip as clipBytes } from './mp4.ts';
