/** A story and the number of requests of a run of it without faults, which a run's time grows with. */
export type StorySize = { readonly name: string; readonly requests: number };

/**
 * Divides schedules over stories. A story whose run is four times as long gets half as many schedules: with a given total time, this
 * finds more than equal numbers if all stories are equally likely to fail (the allocation of stratified sampling with unequal costs).
 * The numbers are rounded up, so that they sum to at least the total.
 */
export function divideSchedules(total: number, stories: readonly StorySize[]): ReadonlyMap<string, number> {
  const weightOf = ({ requests }: StorySize): number => 1 / Math.sqrt(Math.max(1, requests));
  const all = stories.reduce((sum, story) => sum + weightOf(story), 0);
  return new Map(stories.map((story) => [story.name, Math.ceil((total * weightOf(story)) / all)]));
}
