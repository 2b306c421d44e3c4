export default function Page() {
	return <main>One item</main>;
}
