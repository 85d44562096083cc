// SPDX-License-Identifier: Apache-2.0
// The search of a site that is opened from a disk, where browsers read neither workers nor JSON: the first question loads
// lunr.js and the documents as scripts (search/disk.js) into the page. finish.py puts this before MkDocs's own search.
function diskSearch() {
  let index = null;
  let loading = false;
  let latest = '';
  const documents = new Map();

  function answer() {
    let found = [];
    try {
      found = index.search(latest);
    } catch {
      // Half a question, such as a term and a colon.
    }
    displayResults(found.map(({ ref }) => {
      const { location, title, text } = documents.get(ref);
      return { location, title, summary: text.substring(0, 200) };
    }));
  }

  function build() {
    for (const one of window.diskDocuments) documents.set(one.location, one);
    index = lunr(function () {
      this.field('title');
      this.field('text');
      this.ref('location');
      for (const one of documents.values()) this.add(one);
    });
    answer();
  }

  function load() {
    loading = true;
    const script = document.createElement('script');
    script.src = joinUrl(base_url, 'search/disk.js');
    script.addEventListener('load', build);
    document.head.append(script);
  }

  window.min_search_length = 2;
  setTimeout(initSearch);
  return {
    postMessage({ query }) {
      latest = query;
      if (index) answer();
      else if (!loading) load();
    },
  };
}
