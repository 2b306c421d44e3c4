// A list of a saved report: all of it, so that it is found and printed; what is out of sight is not laid out.
import type { ListProps } from '../shared/list'

export function WholeList<T>({ of, keyOf, label, height, children }: ListProps<T>) {
	return (
		<ol aria-label={label} className="space-y-2">
			{of.map(one => (
				<li key={keyOf(one)} className="[content-visibility:auto] print:[content-visibility:visible]" style={{ containIntrinsicSize: `auto ${height}px` }}>
					{children(one)}
				</li>
			))}
		</ol>
	)
}
