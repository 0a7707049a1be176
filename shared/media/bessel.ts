/** Returns the modified Bessel function of order zero, for Kaiser windows. */
export function bessel(x: number): number {
  let [sum, term] = [1, 1];
  for (let n = 1; term > sum * 1e-12; n += 1) {
    term *= (x / (2 * n)) ** 2;
    sum += term;
  }
  return sum;
}
