/** Two scans side by side. */
import { addressOf, place } from '../state.ts';
import { Frame } from './frame.tsx';
import { PageLinks } from './page-links.tsx';

/** Shows the comparison of the two scans in the address. */
export function ComparisonView() {
  const [, before = '', after = ''] = place.value;
  const path = `/v1/comparisons/${encodeURIComponent(before)}/${encodeURIComponent(after)}`;
  return (
    <>
      <div class="tools">
        <h1>Comparison</h1>
        <PageLinks path={path} />
        <a href={addressOf('reports', before)}>First report</a>
        <a href={addressOf('reports', after)}>Second report</a>
      </div>
      <Frame key={path} path={path} title="Comparison of two scans" />
    </>
  );
}
